//! Long lists of words in source code: arrays of strings, texts and patterns with many alternatives, and a `match` on many strings.

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprArray, ExprMatch, ItemFn, ItemMod, Lit, LitStr, Macro, Pat, PatOr};

/// The most strings of an array. What code says in a few languages stays below it; a list of words of a language does not.
const ARRAY_MAX: usize = 40;
/// The most alternatives of a text, where they stand between bars, and of a pattern.
const ALTERNATIVES_MAX: usize = 12;
/// The most strings that one `match` tells apart: the keywords of a small format.
const MATCH_MAX: usize = 20;

/// The long lists of a source, each as what it is and how it begins. Tests in the source are not looked at.
pub(super) fn long_lists(source: &str) -> Vec<String> {
    let file = syn::parse_file(source).expect("a source file");
    let mut lists = LongLists(vec![]);
    lists.visit_file(&file);
    lists.0
}

struct LongLists(Vec<String>);

impl LongLists {
    fn look_at_array<'a>(&mut self, elements: impl IntoIterator<Item = &'a Expr>) {
        let strings: Vec<String> = elements.into_iter().flat_map(strings).collect();
        if strings.len() > ARRAY_MAX {
            self.0
                .push(format!("{} strings: {}", strings.len(), strings[0]));
        }
    }

    fn look_at_text(&mut self, text: &str) {
        let words = text.split('|');
        let count = words
            .filter(|word| word.contains(char::is_alphabetic))
            .count();
        if count > ALTERNATIVES_MAX {
            let begin: String = text.chars().take(40).collect();
            self.0.push(format!("{count} alternatives: {begin}"));
        }
    }
}

/// The strings of an expression that is one, or that has them side by side.
fn strings(expr: &Expr) -> Vec<String> {
    if let Expr::Lit(literal) = expr
        && let Lit::Str(text) = &literal.lit
    {
        vec![text.value()]
    } else if let Expr::Tuple(tuple) = expr {
        tuple.elems.iter().flat_map(strings).collect()
    } else if let Expr::Array(array) = expr {
        array.elems.iter().flat_map(strings).collect()
    } else if let Expr::Reference(reference) = expr {
        strings(&reference.expr)
    } else {
        vec![]
    }
}

/// The long lists in an expression.
fn lists_in(expr: &Expr) -> Vec<String> {
    let mut lists = LongLists(vec![]);
    lists.visit_expr(expr);
    lists.0
}

/// How many of these literals a pattern names.
fn count_literals(pattern: &Pat, counts: fn(&Lit) -> bool) -> usize {
    let all = |patterns: &Punctuated<Pat, _>| -> usize {
        let counted = patterns.iter().map(|one| count_literals(one, counts));
        counted.sum()
    };
    if let Pat::Lit(literal) = pattern {
        usize::from(counts(&literal.lit))
    } else if let Pat::Or(or) = pattern {
        or.cases.iter().map(|one| count_literals(one, counts)).sum()
    } else if let Pat::Tuple(tuple) = pattern {
        all(&tuple.elems)
    } else if let Pat::TupleStruct(tuple) = pattern {
        all(&tuple.elems)
    } else {
        0
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        let says_test = list.is_ok_and(|list| list.tokens.to_string() == "test");
        attribute.path().is_ident("cfg") && says_test
    })
}

impl<'a> Visit<'a> for LongLists {
    fn visit_attribute(&mut self, _: &'a Attribute) {}

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_expr_array(&mut self, array: &'a ExprArray) {
        self.look_at_array(&array.elems);
        visit::visit_expr_array(self, array);
    }

    fn visit_lit_str(&mut self, text: &'a LitStr) {
        self.look_at_text(&text.value());
    }

    fn visit_pat_or(&mut self, or: &'a PatOr) {
        let is_text = |lit: &Lit| matches!(lit, Lit::Str(_) | Lit::Char(_));
        let counted = or.cases.iter().map(|case| count_literals(case, is_text));
        let count: usize = counted.sum();
        if count > ALTERNATIVES_MAX {
            self.0.push(format!("{count} alternatives of a pattern"));
        }
        visit::visit_pat_or(self, or);
    }

    fn visit_expr_match(&mut self, it: &'a ExprMatch) {
        let is_text = |lit: &Lit| matches!(lit, Lit::Str(_));
        let counted = it.arms.iter().map(|arm| count_literals(&arm.pat, is_text));
        let count: usize = counted.sum();
        if count > MATCH_MAX {
            self.0.push(format!("a match on {count} strings"));
        }
        visit::visit_expr_match(self, it);
    }

    /// Of macros the arguments are looked at where they are expressions, and else the strings between the tokens.
    fn visit_macro(&mut self, it: &'a Macro) {
        if let Ok(elements) =
            it.parse_body_with(Punctuated::<Expr, syn::Token![,]>::parse_terminated)
        {
            self.look_at_array(&elements);
            elements.iter().for_each(|one| self.0.extend(lists_in(one)));
            return;
        }
        let tokens = it.tokens.to_string();
        for text in tokens.split('"').skip(1).step_by(2) {
            self.look_at_text(text);
        }
    }
}
