# SPDX-License-Identifier: Apache-2.0
"""Requests that are wrong in a known way, byte by byte. Each has four consequences: the right
status, a machine's code, no change of the store, and a good request that is answered right after.
The name of a case begins with its number in the checklist: H framing, J JSON."""

import json
import socket
import time
import unittest

from case import CaseTest

GRANT = b"POST /v1/accounts/a/grants HTTP/1.1\r\n"
HOST = b"Host: localhost\r\n"
KEY = b"Idempotency-Key: bad-1\r\n"
JSON = b"Content-Type: application/json\r\n"
BODY = b'{"amount":1}'
SIZE = b"Content-Length: 12\r\n"
END = b"\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"

# Name, bytes, statuses of which one must come; 0 is a connection closed without an answer.
FRAMING = [
    ("h01 space before the colon", GRANT + HOST + KEY + JSON + b"Content-Length : 12\r\n" + END +
     BODY, [400]),
    ("h02 two hosts", GRANT + HOST + HOST + KEY + JSON + SIZE + END + BODY, [400]),
    ("h02 no host", GRANT + KEY + JSON + SIZE + END + BODY, [400]),
    ("h02 a host with a path", GRANT + b"Host: localhost/x\r\n" + KEY + JSON + SIZE + END + BODY,
     [400]),
    ("h03 a folded header", GRANT + HOST + KEY + JSON + b"X-Long: a\r\n b\r\n" + SIZE + END + BODY,
     [400]),
    ("h04 a bare CR in a value", GRANT + HOST + KEY + JSON + b"X-A: a\rb\r\n" + SIZE + END + BODY,
     [400]),
    ("h04 NUL in a header", GRANT + HOST + KEY + JSON + b"X-A: a\0b\r\n" + SIZE + END + BODY,
     [400]),
    ("h04 NUL in the target", b"POST /v1/accounts/a\0/grants HTTP/1.1\r\n" + HOST + KEY + JSON +
     SIZE + END + BODY, [400]),
    *[(f"h05 Content-Length {size!r}", GRANT + HOST + KEY + JSON + b"Content-Length: " + size +
       b"\r\n" + END + BODY, [400])
      for size in (b"+12", b"-0", b"-12", b"0xc", b"1_2", b"1 2", b"", b"12, 12", b"12, 13",
                   b"18446744073709551628", b"0" * 28 + b"12", b"012")],
    ("h05 two lengths", GRANT + HOST + KEY + JSON + SIZE + b"Content-Length: 13\r\n" + END + BODY,
     [400]),
    ("h06 a length and chunks", GRANT + HOST + KEY + JSON + SIZE + CHUNKED + END +
     b"c\r\n" + BODY + b"\r\n0\r\n\r\n", [400]),
    *[(f"h07 Transfer-Encoding {coding!r}", GRANT + HOST + KEY + JSON + b"Transfer-Encoding: " +
       coding + b"\r\n" + END + b"c\r\n" + BODY + b"\r\n0\r\n\r\n", [400, 501])
      for coding in (b"xchunked", b"identity", b"chunked, gzip", b"gzip, chunked", b"\x0bchunked",
                     b"chunked junk")],
    ("h07 chunks in HTTP/1.0", b"POST /v1/accounts/a/grants HTTP/1.0\r\n" + HOST + KEY + JSON +
     CHUNKED + END + b"c\r\n" + BODY + b"\r\n0\r\n\r\n", [400, 505]),
    *[(f"h08 chunk size {size!r}", GRANT + HOST + KEY + JSON + CHUNKED + END + size + b"\r\n" +
       BODY + b"\r\n0\r\n\r\n", [400, 413])
      for size in (b"-1", b"+c", b"0xc", b"c_", b"1" * 17, b"", b" c")],
    ("h08 more data than the chunk says", GRANT + HOST + KEY + JSON + CHUNKED + END +
     b"b\r\n" + BODY + b"\r\n0\r\n\r\n", [400]),
    ("h09 bare LF line ends", (GRANT + HOST + KEY + JSON + SIZE + END).replace(b"\r\n", b"\n") +
     BODY, [400]),
    ("h11 an expectation nobody knows", GRANT + HOST + KEY + JSON + SIZE +
     b"Expect: a-miracle\r\n" + END + BODY, [417]),
    ("h11 too much, announced", GRANT + HOST + KEY + JSON + b"Content-Length: 100000000\r\n" +
     b"Expect: 100-continue\r\n" + END, [413]),
    ("h12 a request line of 64 KiB", b"GET /" + b"a" * 65536 + b" HTTP/1.1\r\n" + HOST + END,
     [414, 431]),
    ("h12 ten thousand headers", GRANT + HOST + b"".join(b"X-%d: y\r\n" % n for n in range(10000))
     + END, [431]),
    ("h12 a header of 1 MiB", GRANT + HOST + b"X-A: " + b"a" * 2**20 + b"\r\n" + END, [431]),
    ("h12 a method of 10 KiB", b"A" * 10240 + b" / HTTP/1.1\r\n" + HOST + END, [400, 414, 431]),
    ("h13 a packed body", GRANT + HOST + KEY + JSON + SIZE + b"Content-Encoding: gzip\r\n" + END +
     BODY, [415]),
    *[(f"h15 target {target!r}", b"POST " + target + b" HTTP/1.1\r\n" + HOST + KEY + JSON + SIZE +
       END + BODY, [400, 404, 405])
      for target in (b"//v1/accounts/a/grants", b"/v1/accounts/../accounts/a/grants",
                     b"/v1/accounts/%2e%2e/a/grants", b"/v1/accounts/%00/grants",
                     b"/v1/accounts/%C0%AF/grants", b"/v1/accounts/a%2Fgrants",
                     b"v1/accounts/a/grants", b"*")],
    *[(f"h16 method {method!r}", method + b" /v1/accounts/a/grants HTTP/1.1\r\n" + HOST + KEY +
       JSON + SIZE + END + BODY, [400, 405, 501])
      for method in (b"TRACE", b"CONNECT", b"DELETE", b"PATCH", b"BREW", b"post")],
    ("h16 an override is no method", b"GET /v1/accounts/a/grants HTTP/1.1\r\n" + HOST +
     b"X-HTTP-Method-Override: POST\r\n" + KEY + JSON + SIZE + END + BODY, [400, 405]),
    *[(f"h18 key {key!r}", GRANT + HOST + b"Idempotency-Key: " + key + b"\r\n" + JSON + SIZE +
       END + BODY, [400])
      for key in (b"", b'""', b"k" * 129, b"a b", b"k\x7f", b"k\xc3\xa9", b'"k', b'k"', b"k\\",
                  b"k\tk")],
    ("h18 two keys", GRANT + HOST + KEY + b"Idempotency-Key: bad-2\r\n" + JSON + SIZE + END + BODY,
     [400]),
    ("h18 the same key twice", GRANT + HOST + KEY + KEY + JSON + SIZE + END + BODY, [400]),
    ("h18 no key", GRANT + HOST + JSON + SIZE + END + BODY, [400]),
    ("a version nobody speaks", b"GET / HTTP/3.0\r\n" + HOST + END, [400, 505]),
    ("no HTTP at all", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", [400]),
]

BODIES = [
    *[(f"j01 {body!r}", body, [400]) for body in (
        b"", b"{", b'{"amount":1', b'{"amount":1,}', b'{"amount":1}//x', b'{"amount":1}{}',
        b'{"amount":1} x', b"{'amount':1}", b'\xef\xbb\xbf{"amount":1}', b"[]", b"1", b"null",
        b'"x"', b'/**/{"amount":1}', b'{amount:1}')],
    *[(f"j03 {body!r}", body, [400]) for body in (
        b'{"amount":1,"amount":1}', b'{"amount":1,"\\u0061mount":2}',
        b'{"amount":1,"metadata":{"a":1,"a":2}}')],
    ("j04 a typing error", b'{"amuont":1}', [400]),
    ("j04 a field too many", b'{"amount":1,"amounts":2}', [400]),
    *[(f"j05 {number!r}", b'{"amount":%s}' % number, [400]) for number in (
        b"1.0", b"1e3", b"1E0", b"10e-1", b"1.5", b"-0", b"0", b"-1", b"9007199254740992",
        b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809", b"9" * 1000,
        b"1e400", b"NaN", b"Infinity", b"+1", b"01", b".5", b"1.", b"0x10", b"1_000",
        "１".encode(), b'"100"', b"true", b"null", b"[]", b"{}", b"[1]")],
    ("j12 100,000 arrays", b'{"amount":' + b"[" * 30000 + b"]" * 30000 + b"}", [400]),
    ("j12 a hundred levels", b'{"amount":1,"metadata":' + b'{"a":' * 100 + b"1" + b"}" * 100 +
     b"}", [400]),
    ("j12 a body over 64 KiB", b'{"amount":1,"reason":"' + b"x" * 70000 + b'"}', [413]),
    *[(f"j13 {text!r}", b'{"amount":1,"reason":"%s"}' % text, [400]) for text in (
        b"\\ud800", b"\\udc00\\ud800", b"\xc0\xaf", b"\xe2\x82", b"\xed\xa0\x80", b"\xff",
        b"\xf4\x90\x80\x80", b"\\u0000", b"\0", b"a\nb", b"\\x41")],
    ("j15 a reason that is too long", b'{"amount":1,"reason":"' + b"x" * 2000 + b'"}', [400]),
    *[(f"j16 {time!r}", b'{"amount":1,"effective_at":"%s"}' % time, [400]) for time in (
        b"2026-02-30T00:00:00Z", b"2026-01-01T24:00:00Z", b"2026-01-01T00:00:00",
        b"2026-01-01T00:00:00+24:00", b"2026-01-01T23:59:60Z", b"10000-01-01T00:00:00Z",
        b"2026-01-01", b"", b"2026-13-01T00:00:00Z", b"20260101T000000Z",
        b"2026-01-01 00:00")],
    ("j16 a time in milliseconds", b'{"amount":1,"effective_at":1767225600000}', [400]),
]

TEXTS = ["'; DROP TABLE entries; --", "=1+1", "a\r\nb", "적립 포인트", "💰" * 60, "\u202ertl",
         "e\u0301 \u00e9", "\\u0000", "</script>", "\u2028"]


class Wrong(CaseTest):
    def setUp(self):
        super().setUp()
        self.grant("a", 100)

    def raw(self, data, seconds=5):
        """Sends the bytes on a connection of their own and half-closes; all that comes back."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=seconds) as link:
            answer = b""
            try:
                link.sendall(data)
                link.shutdown(socket.SHUT_WR)
            except (ConnectionError, BrokenPipeError):
                answer = b""  # it was told off before it had said everything; the answer counts
            try:
                while chunk := link.recv(65536):
                    answer += chunk
            except ConnectionError:
                return answer
            return answer

    def assert_turned_down(self, data, statuses):
        before = self.everything()
        answer = self.raw(data)
        head, _, body = answer.partition(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1]) if head else 0
        self.assertIn(status, statuses, answer[:500])
        self.assertTrue(json.loads(body)["code"], answer[:500])
        self.assertIn(b"application/problem+json", head)
        self.assertNotRegex(body, rb"HTTP/1\.1 \d", "what came behind it was answered too")
        began = time.monotonic()
        self.assertEqual(self.everything(), before)
        self.assertLess(time.monotonic() - began, 1)

    def test_framing(self):
        for name, data, statuses in FRAMING:
            with self.subTest(name):
                self.assert_turned_down(data, statuses)

    def test_bodies(self):
        for name, body, statuses in BODIES:
            with self.subTest(name[:80]):
                size = b"Content-Length: %d\r\n" % len(body)
                self.assert_turned_down(GRANT + HOST + KEY + JSON + size + END + body, statuses)

    def test_j02_media_types(self):
        for media in (None, b"text/plain", b"application/json; charset=latin1", b"application/xml",
                      b"application/x-www-form-urlencoded", b"application/jsonx"):
            with self.subTest(media):
                header = b"" if media is None else b"Content-Type: " + media + b"\r\n"
                self.assert_turned_down(GRANT + HOST + KEY + header + SIZE + END + BODY, [415])

    def test_h10_half_a_body_is_not_executed(self):
        data = GRANT + HOST + KEY + JSON + b"Content-Length: 13\r\n" + END + BODY
        before = self.everything()
        answer = self.raw(data)
        if answer:
            self.assertIn(b" 400 ", answer.split(b"\r\n")[0] + b" ")
        self.assertEqual(self.everything(), before)

    def test_h06_what_is_smuggled_behind_is_not_executed(self):
        inner = GRANT + HOST + b"Idempotency-Key: inner\r\n" + JSON + SIZE + END + BODY
        outer = (GRANT + HOST + KEY + JSON + b"Content-Length: 4\r\n" + CHUNKED + END +
                 b"c\r\n" + BODY + b"\r\n0\r\n\r\n" + inner)
        self.assert_turned_down(outer, [400])

    def test_h14_answers_keep_the_rules(self):
        head = self.client.request("HEAD", "/livez")
        self.assertIn(head.status, (200, 405))
        self.assertEqual(head.body, b"")
        wrong = self.client.request("GET", "/v1/transfers")
        self.assertEqual(wrong.status, 405, wrong)
        self.assertIn("POST", wrong.headers["allow"])
        self.assertIn("date", wrong.headers)

    def test_h19_a_hundred_in_one_breath_are_answered_in_order(self):
        data = b"".join(
            GRANT + HOST + b"Idempotency-Key: pipe-%d\r\n" % n + JSON + SIZE + END + BODY
            for n in range(100))
        data += b"GET /v1/accounts/a HTTP/1.1\r\n" + HOST + b"Connection: close\r\n" + END
        answer = self.raw(data)
        self.assertEqual(answer.count(b"HTTP/1.1 201"), 100)
        balances = [int(part.split(b"}")[0].split(b",")[0])
                    for part in answer.split(b'"balance":')[1:]]
        self.assertEqual(balances, [*range(101, 201), 200])

    def test_j08_the_largest_amounts_are_echoed_exactly(self):
        response = self.post("/v1/accounts/big/grants", {"amount": 9007199254740991})
        self.assertIn(b'"balance":9007199254740991', response.body)

    def test_j15_and_j17_texts_come_back_as_they_were_sent(self):
        for number, text in enumerate(TEXTS):
            with self.subTest(text):
                self.grant(f"text-{number}", 1, reason=text)
                entry, = self.entries(f"text-{number}")
                self.assertEqual(entry["reason"], text)


if __name__ == "__main__":
    unittest.main()
