#include <cstdio>
#include "axilog/host.hpp"

int main()
{
    auto ledger = axilog::host::Ledger::create("ledger.jsonl"); // never over a ledger
    if (!ledger) {
        return std::fprintf(stderr, "%s\n", ledger.error().message().c_str()), 1;
    }
    for (const char *answer : { "{\"value\": 69}", "{\"value\": 71}" }) {
        const auto decision = ledger->observe({ "llm", "model-1", "How fast?", answer });
        if (!decision) {
            return std::fprintf(stderr, "%s\n", decision.error().message().c_str()), 1;
        }
        // What an act rests on is on the disk. 71 is above 70: ALARM.
        std::puts(decision->may_act() ? "go" : decision->health_name());
    }
    return ledger->close() ? 0 : 1;
}
