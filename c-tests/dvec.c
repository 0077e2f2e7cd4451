/* dvec.h: the names of the evidence, as they stand in the golden ledger. */

#include "axilog/dvec.h"

#include "axilog/audit.h"
#include "check.h"

int main(void)
{
    const char *const tags[] = { AX_TAG_STATE, AX_TAG_TRANS, AX_TAG_OBS, AX_TAG_POLICY, AX_TAG_PROOF };
    ax_evidence_t evidence = { NULL, (const uint8_t *)"{}", 2 };
    ct_fault_flags_t faults;
    uint8_t commit[32];
    size_t i;

    CHECK_STR(AX_TAG_STATE, "AX:STATE:v1");
    CHECK_STR(AX_TAG_TRANS, "AX:TRANS:v1");
    CHECK_STR(AX_TAG_OBS, "AX:OBS:v1");
    CHECK_STR(AX_TAG_POLICY, "AX:POLICY:v1");
    CHECK_STR(AX_TAG_PROOF, "AX:PROOF:v1");
    CHECK_STR(AX_CHAIN_LEDGER, "AX:LEDGER:v1");

    /* The first five are the closed set of tags, and the chain prefix is none of them. */
    ct_fault_init(&faults);
    for (i = 0; i < 5; i++) {
        evidence.tag = tags[i];
        CHECK(ax_commit_evidence(&evidence, commit, &faults) == AX_OK);
    }
    CHECK(!ct_fault_any(&faults));
    evidence.tag = AX_CHAIN_LEDGER;
    CHECK(ax_commit_evidence(&evidence, commit, &faults) == AX_ERR_SCHEMA);
    CHECK(faults.domain == 1);
    return check_end();
}
