//! Rejects deeply nested code before a recursive parser reads it, because the macro runs on the compiler's stack.

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

/// Maximum number of nested groups.
const MOST_GROUPS: usize = 64;

/// Maximum number of tokens that may begin a nested part, such as `<` or `&`, between two commas.
const MOST_PREFIXES: usize = 64;

/// Maximum number of bytes of code in a string. A lexer may also recurse, and types and paths are short.
const MOST_BYTES: usize = 16 * 1024;

/// The error message for code that is nested too deeply.
pub(crate) const TOO_DEEP: &str = "this nests too deeply: name a part of it with a `type` or a function";

/// Returns `true` if code in a string is too long or too deeply nested for a lexer.
pub(crate) fn is_deep_text(code: &str) -> bool {
    let mut depth = 0_usize;
    code.len() > MOST_BYTES
        || code.chars().any(|c| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth > MOST_GROUPS
        })
}

/// The tokens of one group that have been seen so far.
struct NestingLevel {
    trees: IntoIter,
    /// The number of parts that have begun since the last comma and not ended.
    prefixes: usize,
    /// `true` if the last token was a value, which makes a following operator binary.
    after_value: bool,
    /// `true` if the last token was the first half of `->` or `=>`.
    is_arrow: bool,
}

impl NestingLevel {
    fn new(tokens: TokenStream) -> Self {
        Self { trees: tokens.into_iter(), prefixes: 0, after_value: false, is_arrow: false }
    }

    fn see(&mut self, tree: &TokenTree) {
        let is_value = match tree {
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    ',' | ';' => self.prefixes = 0,
                    '>' if self.is_arrow => {}
                    '>' => self.prefixes = self.prefixes.saturating_sub(1),
                    '<' => self.prefixes += 1,
                    '=' if punct.spacing() == Spacing::Alone => self.prefixes += 1,
                    '&' | '*' | '!' | '-' | '|' | '?' if !self.after_value => self.prefixes += 1,
                    _ => {}
                }
                self.is_arrow = punct.spacing() == Spacing::Joint && matches!(punct.as_char(), '-' | '=');
                // The first half of `||` and `&&`.
                self.after_value && punct.spacing() == Spacing::Joint
            }
            TokenTree::Ident(_) if begins_part(tree) => {
                self.prefixes += 1;
                false
            }
            TokenTree::Ident(word) => {
                !["const", "mut", "in", "if", "else", "match", "as"].iter().any(|other| word == other)
            }
            TokenTree::Literal(_) => true,
            TokenTree::Group(group) => {
                // A block ends an item or a statement.
                if group.delimiter() == Delimiter::Brace {
                    self.prefixes = 0;
                }
                true
            }
        };
        self.after_value = is_value;
    }
}

/// Returns the position where tokens are nested too deeply, if there is one. This function itself does not recurse.
pub(crate) fn too_deep(tokens: &TokenStream) -> Option<Span> {
    let mut open = vec![NestingLevel::new(tokens.clone())];
    while let Some(level) = open.last_mut() {
        let Some(tree) = level.trees.next() else {
            open.pop();
            continue;
        };
        level.see(&tree);
        if level.prefixes > MOST_PREFIXES || open.len() > MOST_GROUPS {
            return Some(tree.span());
        }
        if let TokenTree::Group(group) = tree {
            open.push(NestingLevel::new(group.stream()));
        }
    }
    None
}

/// Returns `true` if a token can precede a type or an expression.
fn begins_part(word: &TokenTree) -> bool {
    const WORDS: &[&str] = &["return", "break", "move", "fn", "dyn", "impl", "for", "async", "static", "let"];
    matches!(word, TokenTree::Ident(word) if WORDS.iter().any(|known| word == known))
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    fn deep(code: &str) -> bool {
        too_deep(&TokenStream::from_str(code).expect("it is made of tokens")).is_some()
    }

    #[test]
    fn nesting_is_bounded() {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("Vec<", ">"),
            ("&", ""),
            ("*const ", ""),
            ("fn() -> ", ""),
            ("!", ""),
            ("-", ""),
        ] {
            let code = |depth| format!("{}u8{}", open.repeat(depth), close.repeat(depth));
            assert!(!deep(&code(50)), "{open}");
            assert!(deep(&code(5_000)), "{open}");
            assert!(is_deep_text(&code(20_000)), "{open}");
        }
        // Breadth is not depth.
        assert!(!deep(&"a: Vec<Option<u8>>, ".repeat(5_000)));
        assert!(!deep(&"fn f() -> u8 { -1 } ".repeat(5_000)));
        assert!(!deep(&"a(b)".repeat(5_000)));
        assert!(!deep(&format!("a{}", " || b & c - d".repeat(5_000))));
    }

    #[test]
    fn tokens_within_the_bound_are_parsed_on_half_of_the_compilers_stack() {
        let types = [
            format!("{}u8", "&".repeat(MOST_PREFIXES)),
            format!("{}u8{}", "Vec<".repeat(MOST_PREFIXES), ">".repeat(MOST_PREFIXES)),
            format!("{}u8{}", "(".repeat(MOST_GROUPS - 1), ")".repeat(MOST_GROUPS - 1)),
        ];
        let exprs = [
            format!("{}1", "-".repeat(MOST_PREFIXES)),
            format!("{}1", "|| ".repeat(MOST_PREFIXES / 2)),
            format!("{}1{}", "(".repeat(MOST_GROUPS - 1), ")".repeat(MOST_GROUPS - 1)),
        ];
        let parse = move || {
            for code in types {
                assert!(!deep(&code) && syn::parse_str::<syn::Type>(&code).is_ok(), "{}", &code[..20]);
            }
            for code in exprs {
                assert!(!deep(&code) && syn::parse_str::<syn::Expr>(&code).is_ok(), "{}", &code[..20]);
            }
        };
        let thread = std::thread::Builder::new().stack_size(4 << 20).spawn(parse).expect("there are threads");
        assert!(thread.join().is_ok());
    }
}
