/* Records exchanges with a provider: answers, a stream, tool calls, a breach, errors and failures. */

#include <string.h>
#include "check.h"

static const char *request = "{\"model\": \"model-1\", \"messages\": [{\"role\": \"user\", \"content\": \"How fast?\"}]}";

static axh_exchange_t chat(const char *response, uint32_t status)
{
    const axh_exchange_t exchange = {
        .size = sizeof exchange, .interface = "chat/completions", .key = "sk-0123456789", .request = request,
        .request_len = strlen(request), .response = response, .response_len = strlen(response),
        .content_type = "application/json", .milliseconds = 12, .status = status
    };
    return exchange;
}

/* Records an exchange, which ends as expected; the JSON must hold a text. */
static axh_decision_t end(axh_ledger_t *ledger, const axh_exchange_t *exchange, int status, const char *told)
{
    axh_decision_t decision = { .size = sizeof decision };
    char *json;

    CHECK(axh_exchange_begin(ledger, exchange) == AXH_OK);
    CHECK(axh_exchange_end(ledger, exchange, &decision, &json) == status);
    if (strstr(json, told) == NULL) {
        fprintf(stderr, "%s is not in %s\n", told, json);
        exit(1);
    }
    axh_string_free(json);
    return decision;
}

static void refuse(axh_ledger_t *ledger)
{
    axh_exchange_t wrong = chat("", 200);
    char *json = (char *)request;

    wrong.interface = "images";
    CHECK(axh_exchange_begin(ledger, &wrong) == AXH_ERR_ARGUMENT);
    CHECK(strstr(axh_last_error(), "expected one of chat/completions, responses") != NULL);
    wrong = chat("", 99);
    CHECK(axh_exchange_end(ledger, &wrong, NULL, &json) == AXH_ERR_ARGUMENT && json == NULL);
    wrong.status = 200;
    wrong.arrival = (axh_arrival_t)7;
    CHECK(axh_exchange_end(ledger, &wrong, NULL, NULL) == AXH_ERR_ARGUMENT);
    CHECK(axh_exchange_begin(ledger, NULL) == AXH_ERR_ARGUMENT);
    CHECK(axh_exchange_begin(NULL, &wrong) == AXH_ERR_HANDLE);
    wrong.request = "{\"model\":\"m\",\"x\":\"sk-0123456789\"}";
    wrong.request_len = strlen(wrong.request);
    CHECK(axh_exchange_begin(ledger, &wrong) == AXH_ERR_REFUSED && axh_last_reason() == AXH_REASON_QUESTION);
    wrong.request = "{}";
    wrong.request_len = 2;
    CHECK(axh_exchange_begin(ledger, &wrong) == AXH_ERR_REFUSED && axh_last_reason() == AXH_REASON_QUESTION);
    wrong.request = "{\"model\":\"model-2\"}";
    wrong.request_len = strlen(wrong.request);
    CHECK(axh_exchange_begin(ledger, &wrong) == AXH_ERR_REFUSED && axh_last_reason() == AXH_REASON_MODEL);
}

int main(int argc, char **argv)
{
    const char *policies =
        "{\"llm#speed\":[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"SPEED\",\"threshold\":4587520}]}";
    const char *answer = "{\"model\":\"model-1-x\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":"
                         "\"{\\\"speed\\\": 5}\"},\"finish_reason\":\"stop\"}]}";
    const char *call = "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"{\\\"speed\\\": 71}\"}}]}";
    const char *stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{\\\"speed\\\"\"}}]}\n\n"
                         "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\": 6}\"}}]}\n\n"
                         "data: [DONE]\n\n";
    axh_options_t options = { .size = sizeof options, .time = 1 };
    axh_exchange_t exchange;
    axh_decision_t decision;
    axh_ledger_t *ledger;

    CHECK(argc == 3);
    /* The policies that a ledger has by default judge every oracle. */
    exchange = chat(answer, 200);
    CHECK(axh_ledger_create(argv[2], &options, &ledger) == AXH_OK);
    CHECK(axh_exchange_begin(ledger, &exchange) == AXH_ERR_REFUSED && axh_last_reason() == AXH_REASON_POLICIES);
    CHECK(axh_ledger_close(ledger) == AXH_OK);

    options.policies = policies;
    options.policies_len = strlen(policies);
    CHECK(axh_ledger_create(argv[1], &options, &ledger) == AXH_OK);
    CHECK(end(ledger, &exchange, AXH_OK, "\"end\":\"released\"").may_act);
    exchange = chat(stream, 200);
    exchange.content_type = "text/event-stream; charset=utf-8";
    CHECK(end(ledger, &exchange, AXH_OK, "\"why\":null").may_act);
    refuse(ledger);

    /* An error of the provider, and nobody there, are recorded and alarm nobody. */
    exchange = chat("{\"error\":{}}", 500);
    CHECK(end(ledger, &exchange, AXH_NOT_OK, "\"end\":\"provider_error\"").ledger_seq == 0);
    exchange = chat("", 0);
    exchange.arrival = AXH_ARRIVAL_UNREACHABLE;
    CHECK(end(ledger, &exchange, AXH_NOT_OK, "was not asked").ledger_seq == 0);
    exchange.arrival = AXH_ARRIVAL_CANCELLED;
    CHECK(end(ledger, &exchange, AXH_NOT_OK, "\"state\":\"ENABLED\"").may_act == 0);

    exchange = chat(call, 200);
    decision = end(ledger, &exchange, AXH_NOT_OK, "llm#speed 71 is above 70");
    CHECK(decision.breached == 1 && decision.health == AX_HEALTH_ALARM && !decision.may_act);
    CHECK(strstr(axh_last_decision(), "llm#speed 71 is above 70") != NULL);
    CHECK(axh_exchange_begin(ledger, &exchange) == AXH_ERR_REFUSED && axh_last_reason() == AXH_REASON_STATE);
    CHECK(strstr(axh_last_error(), "the agent is ALARM") != NULL);
    /* What was asked before the alarm is recorded nevertheless. */
    exchange = chat("", 0);
    exchange.arrival = AXH_ARRIVAL_TIMEOUT;
    CHECK(axh_exchange_end(ledger, &exchange, &decision, NULL) == AXH_NOT_OK);
    CHECK(decision.failure_type == AX_FAILURE_TIMEOUT);
    exchange = chat("<html>", 200);
    CHECK(axh_exchange_end(ledger, &exchange, &decision, NULL) == AXH_NOT_OK);
    CHECK(decision.failure_type == AX_FAILURE_TRANSPORT_ERROR);
    CHECK(axh_ledger_close(ledger) == AXH_OK);
    return 0;
}
