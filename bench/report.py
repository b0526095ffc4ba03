#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns bench/results.json into the tables and the plots of docs/performance.md.

usage: report.py [--check]

No figure of that page is typed. With --check nothing is written: it fails where the page or a
plot is not what results.json says.
"""

import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results.json"
PAGE = ROOT / "docs" / "performance.md"
PLOT = ROOT / "docs" / "performance.svg"
CONNECTIONS_PLOT = ROOT / "docs" / "performance-connections.svg"
BEGIN = "<!-- made by bench/report.py: begin -->"
END = "<!-- made by bench/report.py: end -->"

# What each ratio must reach, and what it aims at.
GOALS = {
    "sqlite_single": ("single POSTs over {connections} connections, {accounts:,} accounts", 3, 6),
    "sqlite_batch": ("`/v1/batch` of {batch:,} over {connections} connections, "
                     "{accounts:,} accounts", 0.4, 0.7),
}
WORK_SETTINGS = {"sqlite_single": "single", "sqlite_batch": "batch"}

# Against the row lock of 64 clients, and against one statement at its best; the bar and the aim.
POSTGRES_GOALS = {
    "postgres_hot_single": ("hot", "row_lock", "hot", 25, 80),
    "postgres_spread_single": ("spread", "row_lock", "spread", 5, 12),
    "postgres_spread_batch": ("batch", "row_lock", "spread", 12, 20),
    "postgres_hot_over_best": ("hot", "one_statement", "hot", 8, 15),
    "postgres_spread_over_best": ("spread", "one_statement", "spread", 1.5, 2.5),
    "postgres_batch_over_best": ("batch", "one_statement", "spread", 4, 7),
}
MARIADB_GOALS = {
    "mariadb_hot_single": ("hot", "row_lock", "hot", 4, 10),
    "mariadb_spread_single": ("spread", "row_lock", "spread", 2, 4),
    "mariadb_spread_batch": ("batch", "row_lock", "spread", 5, 9),
}
SERVER_WORK = {"hot": "one account, single POSTs", "spread": "100,000 accounts, single POSTs",
                 "batch": "100,000 accounts, `/v1/batch` of 1,000"}
STORE_NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL", "mariadb": "MariaDB",
               "growth": "as it grows", "lock": "several servers"}
WAYS = {"row_lock": "row lock, 64 clients", "one_statement": "one statement, at its best"}
P99_GOAL = (0.25, 0.1)
# The rate at the most entries over that of an empty store.
GROWTH_GOALS = {"growth_hot": ("one account", 0.7, 0.9),
                "growth_spread": ("100,000 accounts", 0.4, 0.7)}


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def spread(figure, show=number):
    return f"{show(figure['median'])} ({show(figure['min'])} to {show(figure['max'])})"


def mib(kib):
    return f"{kib / 1024:.1f} MiB"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def goal_table(results):
    rows = []
    for name, (work, bar, aim) in GOALS.items():
        figures = results["figures"][name]
        work = work.format(**results["settings"][WORK_SETTINGS[name]])
        rows.append([f"`{name}`", work, spread(figures["passbook"]["per_second"]),
                     spread(figures["bare"]["per_second"]), f"**{spread(figures['ratio'])}**",
                     str(bar), str(aim), verdict(results["ratios"][name], bar, aim),
                     f"{figures['fdatasync_us']['median']:,.0f} µs"])
    return table(["ratio", "work", "passbook, commands/s", "bare loop, spends/s",
                  "passbook / bare", "bar", "aim", "", "a sync took"], rows)


def verdict(ratio, bar, aim):
    if ratio >= aim:
        return "aim reached"
    if ratio >= bar:
        return f"bar reached, {ratio / aim:.0%} of the aim"
    return f"below the bar: {ratio / bar:.0%} of it"


def server_table(results, figures, goals):
    rows = []
    unguarded = figures.get("unguarded_ratios", {})
    for name, (work, way, its, bar, aim) in goals.items():
        rows.append([f"`{name}`", SERVER_WORK[work],
                     spread(figures["passbook"][work]["per_second"]), WAYS[way],
                     spread(figures[way][its]["per_second"]),
                     f"**{spread(figures['ratios'][name])}**",
                     *([spread(unguarded[name])] if unguarded else []), str(bar), str(aim),
                     verdict(results["ratios"][name], bar, aim)])
    return table(["ratio", "work", "passbook, commands/s", "by hand", "transactions/s",
                  "passbook / by hand", *(["without any guard"] if unguarded else []), "bar", "aim",
                  ""], rows)


def postgres_tables(results):
    figures = results["figures"]["postgres"]
    p99, (bar, aim) = results["ratios"]["postgres_p99"], P99_GOAL
    word = "aim reached" if p99 <= aim else "bar reached" if p99 <= bar else "above the bar"
    ours = ", ".join(f"{found['passbook_ms']:.1f}" for found in figures["p99"])
    theirs = ", ".join(f"{found['row_lock_ms']:.1f}" for found in figures["p99"])
    return [*server_table(results, figures, POSTGRES_GOALS), "",
            "`postgres_p99`: at the row lock's own best rate on one account, 99 of 100 answers "
            f"came within {ours} ms (by hand: {theirs} ms): **{p99:.2f}** of it, where the bar is "
            f"{bar} and the aim {aim}: {word}."]


def growth_table(results):
    rows = []
    for name, (work, bar, aim) in GROWTH_GOALS.items():
        for way in ("passbook", "row_lock"):
            for step in results["figures"][name][way]:
                last = way == "passbook" and step is results["figures"][name][way][-1]
                rows.append([f"`{name}`" if last else "", work, WAYS.get(way, way),
                             f"{step['entries']:,}", spread(step["empty"]["per_second"]),
                             spread(step["grown"]["per_second"]), f"**{spread(step['ratio'])}**",
                             *((str(bar), str(aim), verdict(results["ratios"][name], bar, aim))
                               if last else ("", "", ""))])
    return table(["ratio", "work", "way", "entries", "empty store, per second",
                  "grown store, per second", "grown / empty", "bar", "aim", ""], rows)


def steps_table(what, steps):
    return table([what, "commands/s", "p50", "p99"],
                 [[f"{step[what]:,}", number(step["per_second"]), f"{step['p50_ms']:.2f} ms",
                   f"{step['p99_ms']:.2f} ms"] for step in steps])


def has_growth(results):
    """Only a full run measures it."""
    return all(name in results["figures"] for name in GROWTH_GOALS)


def growth_part(results):
    figures = results["figures"]
    return ["#### As it grows", "",
            "Single POSTs over 64 connections on a store that holds so many entries, and on an "
            "empty one, in turns on the same server, each behind a CHECKPOINT.", "",
            *growth_table(results), "",
            "#### More connections", "",
            "![Commands per second over the number of connections](performance-connections.svg)",
            "", "On one account:", "", *steps_table("connections", figures["connections"]["hot"]),
            "", "On 100,000 accounts:", "",
            *steps_table("connections", figures["connections"]["spread"]), "",
            "#### More accounts", "", "Over 64 connections:", "",
            *steps_table("accounts", figures["accounts"]), ""]


def lock_table(figures):
    """By work and number of servers; without a lock first, and the others over it."""
    rows = []
    for figure in figures:
        same = [f for f in figures if (f["work"], f["servers"]) == (figure["work"],
                                                                    figure["servers"])]
        plain = next(f for f in same if f["lock"] == "none")
        over = figure["per_second"]["median"] / plain["per_second"]["median"]
        rows.append([SERVER_WORK[figure["work"]], str(figure["servers"]), f"`{figure['lock']}`",
                     spread(figure["per_second"]), "" if figure is plain else f"{over:.2f}",
                     *(f"{figure[name]['median']:.1f} ms" for name in ("p50_ms", "p99_ms"))])
    return table(["work", "servers", "`--lock`", "passbook, commands/s", "over `none`", "p50",
                  "p99"], rows)


def latency_table(results):
    rows = []
    for name in GOALS:
        ours = results["figures"][name]["passbook"]
        rows.append([f"`{name}`", *(f"{ours[key]['median']:.2f} ms"
                                    for key in ("p50_ms", "p99_ms", "max_ms")),
                     mib(ours["peak_rss_kib"]["median"])])
    return table(["request of", "p50", "p99", "longest", "server's peak memory"], rows)


def sweep_table(results):
    rows = [[f"{figures['batch']:,}", spread(figures["passbook"]["per_second"]),
             spread(figures["bare"]["per_second"]), spread(figures["ratio"])]
            for figures in results["figures"]["sweep"]]
    return table(["commands per request", "passbook, commands/s", "bare loop, spends/s",
                  "passbook / bare"], rows)


def import_table(results):
    rows = [["the file" if found["repeats"] == 1 else f"the file {found['repeats']} times over",
             f"{found['rows']:,}", spread(found["per_second"]),
             mib(found["peak_rss_kib"]["median"])] for found in results["figures"]["import"]]
    return table(["`passbook import` of the bank transactions", "rows", "rows/s", "peak memory"],
                 rows)


def lock_part(results):
    """Nothing where it was not measured."""
    if "lock" not in results["figures"]:
        return []
    rounds = len(results["figures"]["lock"][0]["per_second"]["runs"])
    return ["### Several servers, and a lock before their writes", "",
            f"Commit `{results['commits']['lock'][:12]}`, {rounds} rounds. A machine that is "
            "shared shows in the brackets: read what stands over `none`.", "",
            *lock_table(results["figures"]["lock"]), ""]


def machines_table(results):
    """Where and of what commit each part is: not all are measured on one day."""
    return table(["measured", "commit", "on", "making a page durable took"],
                 [[STORE_NAMES[store], f"`{results['commits'][store][:12]}`",
                   f"{machine['cores']} cores ({machine['cpu']}), {machine['memory_gib']} GiB, "
                   f"Linux {machine['kernel']}, {machine['file_system']}",
                   f"{machine['fdatasync_us']:,.0f} µs"]
                  for store, machine in results["machines"].items()])


def page_part(results):
    memory = results["figures"]["memory"]
    rounds = results["settings"]["rounds"]
    lines = [
        BEGIN,
        "",
        f"Medians of {rounds} rounds or more (of the sweep: "
        f"{results['settings']['sweep']['rounds']}), least and most in brackets.",
        "",
        *machines_table(results),
        "",
        "### SQLite",
        "",
        *goal_table(results),
        "",
        "![Commands per second of passbook and of the bare loop](performance.svg)",
        "",
        *latency_table(results),
        "",
        *sweep_table(results),
        "",
        *import_table(results),
        "",
        f"A server that has opened {memory['accounts']:,} accounts peaked at "
        f"{mib(memory['peak_rss_kib'])}.",
        "",
        "### PostgreSQL",
        "",
        *postgres_tables(results),
        "",
        *(growth_part(results) if has_growth(results) else []),
        "### MariaDB",
        "",
        *server_table(results, results["figures"]["mariadb"], MARIADB_GOALS),
        "",
        *lock_part(results),
        END,
    ]
    return "\n".join(lines)


class Plot:
    """Rates over something that grows, both axes logarithmic. A line is (name, colour, points), a
    point (x, median, least, most)."""

    WIDTH, HEIGHT = 760, 420
    LEFT, RIGHT, TOP, BOTTOM = 90, 730, 50, 360

    def __init__(self, title, below, lines):
        self.title, self.below, self.lines = title, below, lines
        points = [point for _, _, points in lines for point in points]
        rates = [rate for _, *point in points for rate in point]
        self.low = math.floor(math.log10(min(rates)))
        self.high = math.ceil(math.log10(max(rates)))
        self.places = sorted({place for place, *_ in points})
        self.last = max(math.log10(self.places[-1]), 1)
        self.parts = []

    def x(self, place):
        return self.LEFT + (self.RIGHT - self.LEFT) * math.log10(place) / self.last

    def y(self, rate):
        part = (math.log10(rate) - self.low) / (self.high - self.low)
        return self.BOTTOM - (self.BOTTOM - self.TOP) * part

    def text(self, x, y, words, anchor="middle", size=13, colour="#222"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
                          f'font-size="{size}" fill="{colour}">{words}</text>')

    def rule(self, x1, y1, x2, y2, colour="#ddd", width=1):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width}"/>')

    def axes(self):
        for power in range(self.low, self.high + 1):
            height = self.y(10 ** power)
            self.rule(self.LEFT, height, self.RIGHT, height)
            self.text(self.LEFT - 8, height + 4, f"{10 ** power:,}", "end")
        for place in self.places:
            self.rule(self.x(place), self.TOP, self.x(place), self.BOTTOM, "#eee")
            self.text(self.x(place), self.BOTTOM + 20, f"{place:,}")
        self.text((self.LEFT + self.RIGHT) / 2, self.HEIGHT - 14, self.below)
        self.text(self.LEFT, 28, self.title, "start", 15)

    def line(self, row, name, colour, points):
        for place, median, least, most in points:
            self.rule(self.x(place), self.y(least), self.x(place), self.y(most), colour, 2)
            self.parts.append(f'<circle cx="{self.x(place):.1f}" cy="{self.y(median):.1f}" r="4" '
                              f'fill="{colour}"/>')
        path = " ".join(f"{self.x(place):.1f},{self.y(median):.1f}"
                        for place, median, _, _ in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                          'stroke-width="2"/>')
        self.text(self.RIGHT, 24 + 18 * row, name, "end", 14, colour)

    def draw(self):
        self.axes()
        for row, (name, colour, points) in enumerate(self.lines):
            self.line(row, name, colour, points)
        body = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" '
                f'font-family="sans-serif">\n<rect width="100%" height="100%" fill="#fff"/>\n'
                f"{body}\n</svg>\n")


BLUE, ORANGE = "#0b6bcb", "#c2571a"


def sweep_plot(results):
    def points(side):
        return [(figures["batch"], *(figures[side]["per_second"][key]
                                     for key in ("median", "min", "max")))
                for figures in results["figures"]["sweep"]]
    return Plot("commands per second: median, least and most",
                "commands per request (bare loop: spends per COMMIT)",
                [("passbook", BLUE, points("passbook")), ("bare loop", ORANGE, points("bare"))])


def connections_plot(results):
    def points(work):
        return [(step["connections"], *[step["per_second"]] * 3)
                for step in results["figures"]["connections"][work]]
    return Plot("commands per second on PostgreSQL", "connections, single POSTs",
                [("one account", BLUE, points("hot")),
                 ("100,000 accounts", ORANGE, points("spread"))])


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        print(f"{PAGE.name}: the marks of the made part are missing", file=sys.stderr)
        return 2
    wanted = {PAGE: before + page_part(results) + after,
              PLOT: sweep_plot(results).draw()}
    if has_growth(results):
        wanted[CONNECTIONS_PLOT] = connections_plot(results).draw()
    stale = [path for path, text in wanted.items()
             if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what bench/results.json says: run "
                  "bench/report.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
