// SPDX-License-Identifier: Apache-2.0
#include "lab/labels.h"

namespace passbook::lab {

Label label_of(Promise promise) noexcept {
    switch (promise) {
        case Promise::unsafe:
            return labels::unsafe;
        case Promise::guarded:
            return labels::guarded;
        case Promise::shown:
            break;
    }
    return labels::shown;
}

Text of_rounds(std::size_t failed, std::size_t rounds) {
    return say("{} of {}", "{1}회 중 {0}회", failed, rounds);
}

Text round_number(std::size_t number) {
    return say("round {}", "{}회차", number);
}

Text round_by_round(const std::string& way, const Text& figure,
                    const std::vector<std::string>& values) {
    return say("{}: {} round by round: {}", "{}: {}, 회차별: {}", way, figure,
               fmt::format("{}", fmt::join(values, "  ")));
}

Text not_on(const Way& way, Kind kind, const Text& why) {
    if (way.needs_redis) {
        return say("not played: {}", "돌리지 않음: {}", why);
    }
    return say("not on {}: {}", "{}에는 없음: {}", name_of(kind), why);
}

Text more_in(std::size_t happenings, std::size_t lanes) {
    return lanes == 1
               ? say("… and {} more in 1 lane", "… 레인 1개에 {}건 더", happenings)
               : say("… and {} more in {} lanes", "… 레인 {1}개에 {0}건 더", happenings, lanes);
}

Text axis_of(const std::string& way) {
    return say("Time axis of {}; the table below has the same", "{}의 시간축. 아래 표와 같은 내용",
               way);
}

Text rows_of(const std::string& way) {
    return say("What happened in {}, row by row", "{}에서 일어난 일, 한 행씩", way);
}

Text summary(std::size_t experiments, std::size_t missed) {
    return say("{}, {} not as expected.", "{}, 예상과 다른 것 {}건.",
               experiments == 1 ? Text("1 experiment", "실험 1건")
                                : say("{} experiments", "실험 {}건", experiments),
               missed);
}

}  // namespace passbook::lab
