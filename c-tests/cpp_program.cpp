// The headers from C++17: inside a namespace's classes, with the contexts owned by objects.

#include "axilog/axilog.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "check.h"
#include "vectors.h"

namespace plant {

/// Throws what a code means.
inline void demand(int code)
{
    if (code < 0) {
        throw std::runtime_error(ax_strerror(code));
    }
}

/// A ledger file in memory; stays where it is, for the ledger points to it.
class Log {
public:
    Log()
    {
        ax_ledger_entry_t genesis;
        demand(ax_ledger_genesis_entry(&genesis));
        keep(&genesis);
    }
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    const ax_ledger_sink_t *sink() const { return &sink_; }
    const std::string &text() const { return text_; }

private:
    static int append(void *self, const ax_ledger_entry_t *entry)
    {
        return static_cast<Log *>(self)->keep(entry);
    }

    int keep(const ax_ledger_entry_t *entry)
    {
        std::vector<std::uint8_t> line(static_cast<std::size_t>(entry->payload_len) + 512);
        const int written = ax_ledger_line_write(line.data(), line.size(), entry);
        if (written < 0) {
            return written;
        }
        text_.append(line.begin(), line.begin() + written);
        return 0;
    }

    std::string text_;
    ax_ledger_sink_t sink_{ append, this };
};

/// An agent, its rules and its ledger.
class Agent {
public:
    explicit Agent(const Log &log)
    {
        ct_fault_init(&faults_);
        ax_agent_init(&agent_, &faults_);
        demand(ax_ledger_set_sink(&agent_.ledger, log.sink(), &faults_));
        if (ax_policy_init(&policy_, &agent_.ledger, &agent_, &faults_) != AX_POLICY_OK) {
            throw std::runtime_error("policy");
        }
    }
    Agent(const Agent &) = delete;
    Agent &operator=(const Agent &) = delete;
    ~Agent() { ax_ledger_set_sink(&agent_.ledger, nullptr, &faults_); }

    int observe(std::string_view oracle, std::string_view model, std::string_view input,
                std::string_view output)
    {
        const std::string oracle_id{ oracle };
        const std::string model_id{ model };
        ax_obs_input_t in;
        ax_obs_input_set_complete(&in, 0, oracle_id.c_str(), model_id.c_str(), input.data(), input.size(),
                                  output.data(), output.size(), nullptr);
        return ax_agent_observe(&agent_, &policy_, &in, work_.data(), work_.size(), &faults_);
    }

    void reset() { demand(control(AX_INPUT_RESET_REQUEST)); }
    void time(std::uint64_t now)
    {
        demand(ax_agent_observe_time(&agent_, &policy_, now, work_.data(), work_.size(), &faults_));
    }
    int control(ax_input_class_t which)
    {
        return ax_agent_observe_control(&agent_, &policy_, which, work_.data(), work_.size(), &faults_);
    }

    ax_health_state_t health() const { return agent_.health; }
    bool faulty() const { return ct_fault_any(&faults_) != 0; }
    const std::uint8_t *head() const { return agent_.ledger.current_hash; }

private:
    ax_agent_ctx_t agent_;
    ax_policy_ctx_t policy_;
    ct_fault_flags_t faults_;
    std::array<std::uint8_t, 4096> work_;
};

} // namespace plant

static_assert(std::is_trivially_copyable_v<ax_agent_ctx_t>, "contexts may be copied");
static_assert(std::is_standard_layout_v<ct_fault_flags_t> && sizeof(ct_fault_flags_t) == 16, "flags");

static std::string_view view(const bytes_t &bytes)
{
    return { reinterpret_cast<const char *>(bytes.at), bytes.len };
}

int main()
{
    for (std::size_t i = 0; i < AGENT_COUNT; i++) {
        const agent_vector_t &v = AGENTS[i];
        if (std::string_view(v.name) != "breach-alarm-recover") {
            continue;
        }
        plant::Log log;
        plant::Agent agent(log);
        for (std::size_t n = 0; n < v.step_count; n++) {
            const step_vector_t &step = v.steps[n];
            CHECK(agent.observe(step.oracle_id, step.model_id, view(step.input), view(step.output)) == AX_OK);
            CHECK_STR(ax_health_state_to_str(agent.health()), step.health);
            CHECK(is_hex(agent.head(), 32, step.head));
        }
        CHECK(!agent.faulty());
        CHECK(log.text() == view(BREACH_ALARM_RECOVER));
    }

    plant::Log log;
    plant::Agent agent(log);
    agent.reset();
    agent.time(Q16_16_ONE);
    CHECK(agent.health() == AX_HEALTH_ENABLED);
    CHECK(agent.observe("o", "m", "Q", "a\tb") == AX_ERR_ENCODING);
    CHECK(agent.health() == AX_HEALTH_ALARM && !agent.faulty());
    CHECK(agent.control(AX_INPUT_TIME_OBS) == AX_ERR_SCHEMA && agent.faulty());
    bool thrown = false;
    try {
        agent.reset();
    } catch (const std::runtime_error &error) {
        thrown = std::string_view(error.what()) == ax_strerror(AX_ERR_PROTOCOL);
    }
    CHECK(thrown);
    return check_end();
}
