// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.h"
#include "lab/text.h"

/// The words of table, time axis, page and verdict, in every language. What an experiment says
/// stands in its own file, each text with its languages side by side.

namespace passbook::lab {

/// A word or sentence without arguments. The compiler refuses one that a language lacks.
class Label {
public:
    consteval Label(std::string_view english, std::string_view korean)
        : english_(english), korean_(korean) {
        if (english.empty() || korean.empty()) {
            throw "a language is missing";
        }
    }

    [[nodiscard]] constexpr std::string_view in(Language language) const noexcept {
        return language == Language::english ? english_ : korean_;
    }
    operator Text() const {
        return {std::string(english_), std::string(korean_)};
    }

private:
    std::string_view english_;
    std::string_view korean_;
};

namespace labels {

// What happens.
inline constexpr Label accepted{"accepted", "승인"};
inline constexpr Label refused{"refused", "거절"};

// An experiment.
inline constexpr Label setting{"setting", "상황"};
inline constexpr Label expectation{"expectation", "예상"};
inline constexpr Label locks{"locks", "락"};
inline constexpr Label ways{"ways", "방식"};
inline constexpr Label unsafe{"unsafe", "위험"};
inline constexpr Label guarded{"guarded", "안전"};
inline constexpr Label shown{"shown", "참고"};

// The table.
inline constexpr Label way{"way", "방식"};
inline constexpr Label failed{"failed", "실패"};
inline constexpr Label balance{"balance", "잔액"};
inline constexpr Label entries{"entries", "항목 합계"};
inline constexpr Label difference{"difference", "차이"};
inline constexpr Label time{"time", "시간"};

// Figures that several experiments measure.
inline constexpr Label per_second{"per second", "초당"};
inline constexpr Label lost{"lost", "잃음"};
inline constexpr Label told{"told", "알림"};

// The verdict.
inline constexpr Label held{"held", "지켜짐"};
inline constexpr Label as_expected{"As expected.", "예상대로다."};
inline constexpr Label not_played{"Not played.", "돌리지 않았다."};
inline constexpr Label not_as_expected{"NOT AS EXPECTED", "예상과 다름"};

// The page.
inline constexpr Label lab{"Passbook lab", "Passbook 실험실"};
inline constexpr Label experiments{"Experiments", "실험 목록"};
inline constexpr Label database{"database", "데이터베이스"};
inline constexpr Label seen_to_fail{"unsafe ways seen to fail", "실패를 보인 위험한 방식"};
inline constexpr Label seen_to_hold{"guarded ways that held", "지켜진 안전한 방식"};
inline constexpr Label rounds{"rounds", "회차"};
inline constexpr Label promise{"promise", "약속"};
inline constexpr Label what_it_does{"what it does", "하는 일"};
inline constexpr Label failed_rounds{"rounds failed", "실패한 회차"};
inline constexpr Label outcome{"Outcome", "결과"};
inline constexpr Label outcome_note{"Requests of the round that is shown below.",
                                    "아래에 보이는 회차의 요청 수."};
inline constexpr Label balance_and_entries{"Balance and entries", "잔액과 항목"};
inline constexpr Label balance_note{"Where they differ, value was lost or made.",
                                    "둘이 다르면 값이 사라졌거나 생겨났다."};
inline constexpr Label latency{"Latency", "지연 시간"};
inline constexpr Label latency_note{
    "From asking to answer, over all rounds; with the waits that the setting asks for.",
    "요청에서 응답까지, 모든 회차. 상황이 시키는 기다림도 들어 있다."};
inline constexpr Label half_within{"half within", "절반"};
inline constexpr Label most_within{"95% within", "95%"};
inline constexpr Label longest{"longest", "최장"};
inline constexpr Label requests{"requests", "요청"};
inline constexpr Label throughput{"Throughput", "처리량"};
inline constexpr Label throughput_note{"Answers per second, in the middle one of the rounds.",
                                       "초당 응답 수, 회차들의 가운데 값."};
inline constexpr Label time_of_load{"time", "시간"};
inline constexpr Label lane{"lane", "레인"};
inline constexpr Label what{"what happened", "일어난 일"};
inline constexpr Label axis_note{
    "Hover over a mark or a row, or tap it, to find the other. Grey bands are transactions.",
    "표시나 행에 마우스를 올리거나 누르면 짝이 드러난다. 회색 띠는 트랜잭션이다."};

}  // namespace labels

// Sentences with arguments.
[[nodiscard]] Label label_of(Promise promise) noexcept;
[[nodiscard]] Text of_rounds(std::size_t failed, std::size_t rounds);
[[nodiscard]] Text round_number(std::size_t number);
[[nodiscard]] Text round_by_round(const std::string& way, const Text& figure,
                                  const std::vector<std::string>& values);
/// Of a way that is absent.
[[nodiscard]] Text not_on(const Way& way, Kind kind, const Text& why);
[[nodiscard]] Text more_in(std::size_t happenings, std::size_t lanes);
[[nodiscard]] Text axis_of(const std::string& way);
[[nodiscard]] Text rows_of(const std::string& way);
/// How many were played, and how many of them were not as expected.
[[nodiscard]] Text summary(std::size_t experiments, std::size_t missed);

}  // namespace passbook::lab
