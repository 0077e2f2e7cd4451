//! What an answer can do to the world and to the agent, by the syntax tree of the core's sources.
//!
//! SRS-004 §14.1 (SHALL-019): an answer performs no input or output, changes no state by itself, and passes no layer by.

use std::path::Path;

use axilog_testkit::modules::read_files;
use syn::visit::{self, Visit};
use syn::{Expr, Member};

/// The functions that may write to an agent's state: what makes and stops an agent, and the end of a step whose records
/// are all committed. Those of `src/ffi/` copy the state to and from C, and have the deployed functions for rigs.
const MOVERS: [&str; 4] = ["bind", "halt", "accepts", "finish"];

/// The state of an agent that decides what it does.
const STATE: [&str; 2] = ["health", "last_timestamp"];

/// Collects the functions that assign to a field of [`STATE`], and the paths into Rust's library with an operating system.
#[derive(Default)]
struct Finder {
    function: String,
    movers: Vec<String>,
    reaches_out: Vec<String>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function = function.sig.ident.to_string();
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function = function.sig.ident.to_string();
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        if let Expr::Field(field) = &*assign.left
            && let Member::Named(name) = &field.member
            && STATE.contains(&name.to_string().as_str())
        {
            self.movers.push(self.function.clone());
        }
        visit::visit_expr_assign(self, assign);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let first = path
            .segments
            .first()
            .map(|segment| segment.ident.to_string());
        if first.is_some_and(|first| first == "std" || first == "alloc") {
            self.reaches_out.push(self.function.clone());
        }
        visit::visit_path(self, path);
    }

    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        if path.ident == "std" || path.ident == "alloc" {
            self.reaches_out.push("use".to_owned());
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }
}

fn search(text: &str) -> Finder {
    let mut finder = Finder::default();
    finder.visit_file(&syn::parse_file(text).unwrap());
    finder
}

#[test]
fn an_answer_reaches_no_system_and_moves_the_agent_by_a_committed_step_alone() {
    let files = read_files(Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut movers = Vec::new();
    for (file, text) in &files {
        let found = search(text);
        assert_eq!(found.reaches_out, Vec::<String>::new(), "{file}");
        if !file.starts_with("src/ffi/") {
            let unexpected = found.movers.iter().find(|f| !MOVERS.contains(&f.as_str()));
            assert_eq!(unexpected, None, "{file} changes the agent's state");
            movers.extend(found.movers);
        }
    }
    assert!(movers.contains(&"finish".to_owned()), "{movers:?}");
}

#[test]
fn a_way_around_is_found() {
    let found = search(
        "use std::fs;\nfn act(agent: &mut Agent) { agent.health = Health::Enabled; std::process::exit(0); }",
    );
    assert_eq!(found.movers, ["act"]);
    assert_eq!(found.reaches_out, ["use", "act"]);
}
