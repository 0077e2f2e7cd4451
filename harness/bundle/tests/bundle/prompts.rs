//! The seven prompts, to the byte. A changed one is made again by
//!
//!     axilog bundle render --step N --results results/stepN.json > prompts/stepN.txt

use std::fs;

use axilog_bundle::builder::Results;
use axilog_bundle::{build_llm_context, render_prompt_from_bundle};

use crate::place::{STEPS, build, catalogue, file, request};

#[test]
fn the_seven_prompts_are_the_committed_ones() {
    let catalogue = catalogue();
    for step in STEPS {
        let mut request = request(&catalogue, step);
        let path = file(&format!("results/step{step}.json"));
        request.results = Some(Results::read(&path).unwrap());
        let prompt = render_prompt_from_bundle(&build(&request)).unwrap();
        let expected = fs::read_to_string(file(&format!("prompts/step{step}.txt"))).unwrap();
        assert_eq!(format!("{prompt}\n"), expected, "step {step}");
        // A8.3: one call gives the same.
        let context = build_llm_context(&request, &mut |_| {}).unwrap();
        assert_eq!(context.prompt, prompt);
        assert_eq!(
            context.grammar_name,
            context.bundle.context().grammar_name()
        );
        assert_eq!(context.bundle, build(&request));
    }
}
