"""Builds the bundles that bundle.c prints, of the same arguments. Prints each, and its prompt, on a line as JSON."""

import json
import sys

from axilog.bundle import build_llm_context

folder, *steps = sys.argv[1:]
for step in steps:
    context = build_llm_context(int(step), "r-1", f"{folder}/step{step}.json", run_number=7)
    print(context.bundle.to_json())
    print(json.dumps(context.prompt))
