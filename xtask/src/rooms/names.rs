//! Every path that a source file names, with aliases, `self` and `super` resolved.

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// What one file names, outside its tests.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Paths, the first part being `crate` or a name that the file did not bring in by `use`.
    pub(crate) paths: Vec<(usize, Vec<String>)>,
    /// Macros that are called.
    pub(crate) calls: Vec<(usize, String)>,
    /// Modules in files of their own that exist for tests alone, as paths in the crate.
    pub(crate) test_modules: Vec<Vec<String>>,
}

/// Reads a file that is this module of its crate.
pub(crate) fn names(source: &str, module: &[String]) -> syn::Result<Names> {
    let file = syn::parse_file(source)?;
    let mut reader = Reader { module: module.to_vec(), ..Reader::default() };
    reader.visit_file(&file);
    let Reader { aliases, mut found, .. } = reader;
    for (_, path) in &mut found.paths {
        resolve(path, &aliases);
    }
    Ok(found)
}

/// Replaces a first part that a `use` of this file brought in. An alias of an alias is followed; a name that stands
/// for itself (`use x::y; use y::z` in two modules) can't loop for ever.
fn resolve(path: &mut Vec<String>, aliases: &HashMap<String, Vec<String>>) {
    for _ in 0..8 {
        let Some(target) = path.first().and_then(|first| aliases.get(first)) else { return };
        if target.first() == path.first() {
            return;
        }
        path.splice(0..1, target.iter().cloned());
    }
}

#[derive(Default)]
struct Reader {
    module: Vec<String>,
    aliases: HashMap<String, Vec<String>>,
    found: Names,
}

impl Reader {
    fn path(&mut self, span: Span, parts: Vec<String>) {
        let path = self.absolute(parts);
        self.found.paths.push((span.start().line, path));
    }

    /// `self` and `super` as paths from the crate's root.
    fn absolute(&self, parts: Vec<String>) -> Vec<String> {
        let ups = parts.iter().take_while(|part| *part == "super" || *part == "self").count();
        if ups == 0 {
            return parts;
        }
        let supers = parts.iter().take(ups).filter(|part| *part == "super").count();
        let stay = self.module.len().saturating_sub(supers);
        let mut path = vec!["crate".to_owned()];
        path.extend(self.module.iter().take(stay).cloned());
        path.extend(parts.into_iter().skip(ups));
        path
    }

    fn use_tree(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |part: &syn::Ident| {
            let mut path = before.to_vec();
            // `use a::{self}` names `a`.
            if before.is_empty() || part != "self" {
                path.push(part.to_string());
            }
            path
        };
        match tree {
            syn::UseTree::Path(tree) => self.use_tree(&tree.tree, &with(&tree.ident)),
            syn::UseTree::Name(tree) => {
                let path = with(&tree.ident);
                let name = path.last().cloned().unwrap_or_default();
                self.imported(tree.ident.span(), name, path);
            }
            syn::UseTree::Rename(tree) => {
                self.imported(tree.ident.span(), tree.rename.to_string(), with(&tree.ident));
            }
            syn::UseTree::Glob(tree) => {
                let mut path = before.to_vec();
                path.push("*".to_owned());
                self.path(tree.star_token.spans[0], path);
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(tree, before)),
        }
    }

    fn imported(&mut self, span: Span, name: String, path: Vec<String>) {
        let path = self.absolute(path);
        self.found.paths.push((span.start().line, path.clone()));
        self.aliases.insert(name, path);
    }

    /// What macros are given is no syntax yet: paths and calls are found by their signs.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Option<(Span, Vec<String>)> = None;
        let mut colons = 0;
        for token in tokens {
            match (&token, &mut path) {
                (TokenTree::Ident(ident), Some((_, parts))) if colons == 2 => parts.push(ident.to_string()),
                (TokenTree::Ident(ident), _) => {
                    self.tokens_end(&mut path);
                    path = Some((ident.span(), vec![ident.to_string()]));
                }
                (TokenTree::Punct(sign), Some(_)) if sign.as_char() == ':' && colons < 2 => {
                    colons += 1;
                    continue;
                }
                (TokenTree::Punct(sign), Some((span, parts))) if sign.as_char() == '!' => {
                    let call = parts.last().cloned().unwrap_or_default();
                    self.found.calls.push((span.start().line, call));
                    self.tokens_end(&mut path);
                }
                _ => self.tokens_end(&mut path),
            }
            colons = 0;
            if let TokenTree::Group(group) = token {
                self.tokens(group.stream());
            }
        }
        self.tokens_end(&mut path);
    }

    fn tokens_end(&mut self, path: &mut Option<(Span, Vec<String>)>) {
        if let Some((span, parts)) = path.take()
            && parts.len() > 1
        {
            self.path(span, parts);
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !attributes(item).iter().any(for_tests_alone) {
            visit::visit_item(self, item);
        } else if let syn::Item::Mod(module) = item
            && module.content.is_none()
        {
            let mut path = self.module.clone();
            path.push(module.ident.to_string());
            self.found.test_modules.push(path);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(for_tests_alone) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.module.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&item.tree, &[]);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name).to_string();
        self.imported(item.ident.span(), name, vec![item.ident.to_string()]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first() {
            let parts = path.segments.iter().map(|part| part.ident.to_string()).collect();
            self.path(first.ident.span(), parts);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.segments.last() {
            self.found.calls.push((name.ident.span().start().line, name.ident.to_string()));
        }
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    // `pub(in path)` gives, it doesn't take.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    // Attributes hold no code of ours, and documentation may name what it likes.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`, alone or as one of `all(…)`.
fn for_tests_alone(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    if !list.path.is_ident("cfg") {
        return false;
    }
    let condition: String = list.tokens.to_string().split_whitespace().collect();
    let all = condition.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')'));
    condition == "test" || all.is_some_and(|all| all.split(',').any(|part| part == "test"))
}
