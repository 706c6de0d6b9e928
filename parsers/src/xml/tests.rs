use std::fmt::Write as _;

use super::*;

/// Writes down what it is told.
#[derive(Default)]
struct Told(String);

impl Handler for Told {
    fn is_root(&self, name: &[u8]) -> bool {
        name == b"r"
    }

    fn is_element(&self, name: &[u8]) -> bool {
        [&b"r"[..], b"e", b"t", b"skip"].contains(&name)
    }

    fn document(&mut self, line: u32) {
        write!(self.0, "[{line}").unwrap();
    }

    fn open(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Content {
        write!(self.0, "<{}", element.name()).unwrap();
        if let Some(value) = element.value("a", &mut |what| odd(what)) {
            write!(self.0, " {:.20}", value).unwrap();
        }
        self.0.push('>');
        match element.name() {
            "t" => Content::Text,
            "skip" => Content::Nothing,
            _ => Content::Elements,
        }
    }

    fn text(&mut self, text: &str, line: u32) {
        write!(self.0, "{{{text:.20}@{line}}}").unwrap();
    }

    fn close(&mut self, name: &str, line: u32) {
        write!(self.0, "</{name}{line}>").unwrap();
    }

    fn end(&mut self, whole: bool, line: u32) {
        write!(self.0, "{}{line}]", if whole { "" } else { "~" }).unwrap();
    }

    fn stray(&mut self) {
        self.0.push('?');
    }
}

fn read(input: &[u8], size: usize) -> String {
    let mut xml = Xml::new(Told::default());
    let mut number = 1;
    for block in input.chunks(size) {
        xml.push(block, number);
        number += newlines(block);
    }
    xml.finish();
    let notes: Vec<_> = xml.mended().notes().map(|note| note.message).collect();
    let mut told = xml.handler.0;
    for note in notes {
        write!(told, " ({})", note.split(',').next().unwrap()).unwrap();
    }
    told
}

#[track_caller]
fn check(input: impl AsRef<[u8]>, want: &str) {
    let input = input.as_ref();
    for size in [1, 2, 3, 5, 7, 64, 255, 256, 257, 1 << 20] {
        assert_eq!(read(input, size), want, "in blocks of {size}: {:.200}", String::from_utf8_lossy(input));
    }
}

const ATTRIBUTES: &str = "(attributes that are not well-formed were read as far as they can be told)";
const END_TAG: &str = "(elements and end tags that don't match were closed or passed over)";
const LESS: &str = "(a bare `<` was taken as text)";
const LONG: &str = "(text of more than 64 KiB was cut)";

#[test]
fn a_document() {
    check("<?xml version='1.0'?>\n<r>\n <e a='1'/>\n</r>\n", "[2<r><e 1></e3></r4>4]");
    check("<r/>", "[1<r></r1>1]");
    check("<r a = \"x > y\"\n></r >", "[1<r x > y></r2>2]");
    check("<n:r xmlns:n='x'><n:e/></n:r>", "[1<r><e></e1></r1>1]");
    check("", "");
}

#[test]
fn text_where_it_is_wanted() {
    check("<r>x<t>a &lt; b</t><skip>c</skip></r>", "[1<r><t>{a < b@1}</t1><skip></skip1></r1>1]");
    check(
        "<r><t>a<![CDATA[<e>&amp;]]]]><![CDATA[>]]>b</t></r>",
        "[1<r><t>{a@1}{<e>&amp;]]@1}{>@1}{b@1}</t1></r1>1]",
    );
    check("<r><t>a<!-- <t> -->b</t><?pi <e> ?></r>", "[1<r><t>{ab@1}</t1></r1>1]");
    check("<r>\n<t>\na</t></r>", "[1<r><t>{\na@2}</t3></r3>3]");
}

#[test]
fn what_stands_outside_is_log_output() {
    check("log <r> line\n<r></r>\nbye <r/>\n", "[2<r></r2>2]");
    check("log <?xml version='1.0'?>\n<!-- <r> -->\n<r/>", "[3<r></r3>3]");
    check("<?xml version='1.0'?><other>x<r/></other>\n  <r/>", "[2<r></r2>2]");
    check("<r/>\nlog\n<r/>", "[1<r></r1>1][3<r></r3>3]");
    check("<r/><r/>", "[1<r></r1>1][1<r></r1>1]");
    check("\u{feff}<r/>", "[1<r></r1>1]");
    check("<x <r/>\n<", "");
}

#[test]
fn a_document_whose_start_is_missing_is_told() {
    check("<e/></r>\n</r>\n<r/>", "??[3<r></r3>3]");
    check("<r/></e></r>", "[1<r></r1>1]?");
    check("<r/>\n</n:r >", "[1<r></r1>1]?");
    check("<r/><e><x/></e></r>", "[1<r></r1>1]?");
    check(b"<r/>\n\xff\xfe<\0r\0/\0>\0", "[1<r></r1>1]?");
}

#[test]
fn what_was_printed_opens_no_element() {
    check("<r><skip></e><e></r2></skip></r>", "[1<r><skip></skip1></r1>1]");
    check("<r><t>List<e> </e></t></r>", &format!("[1<r><t>{{List<e> </e>@1}}</t1></r1>1] {LESS}"));
}

#[test]
fn a_cut_document_is_not_whole() {
    check("<r>\n<e>\n", "[1<r><e>~3]");
    check("<r><e a='", "[1<r>~1]");
    check("<r", "");
    check("<r ", "[1~1]");
    check("<r><t>ab", "[1<r><t>{ab@1}~1]");
    check("<r><t><![CDATA[ab]", "[1<r><t>{ab]@1}~1]");
    check("<r><e>\n<?xml version='1.0'?>\n<r/>", "[1<r><e>~2][3<r></r3>3]");
    check(
        "<?xml version='1.0'?>\n<!DOCTYPE r [",
        "(a document type declaration was not read; its entities are not expanded)"
            .replace('(', " (")
            .as_str(),
    );
}

#[test]
fn end_tags_that_do_not_match() {
    check("<r><e><skip>x</e></r>", &format!("[1<r><e><skip></skip1></e1></r1>1] {END_TAG}"));
    check("<r></e></x><e/></r>", &format!("[1<r><e></e1></r1>1] {}", END_TAG));
    check("<r><e></r>", &format!("[1<r><e></e1></r1>1] {END_TAG}"));
    check("<r><e></e<e/></r>", &format!("[1<r><e></e1><e></e1></r1>1] {END_TAG}"));
}

#[test]
fn attributes_that_are_not_well_formed() {
    check("<r><e a='1' a='2'/></r>", &format!("[1<r><e 1></e1></r1>1] {ATTRIBUTES}"));
    check("<r><e b=\"x a=\"1\"/>\n<e/></r>", &format!("[1<r><e 1></e1><e></e2></r2>2] {ATTRIBUTES}"));
    check(
        "<r><e a=\"1>\n<t>x\"</t></e></r>",
        &format!("[1<r><e 1><t>{{x\"@2}}</t2></e2></r2>2] {ATTRIBUTES}"),
    );
    check("<r><e a=\"1 <t> 2\"/></r>", "[1<r><e 1 <t> 2></e1></r1>1]");
    check("<r><e a=\"<t><e>\"/></r>", "[1<r><e <t><e>></e1></r1>1]");
    check(
        "<r><e a='1'\n<t>x</t></r>",
        &format!("[1<r><e 1><t>{{x@2}}</t2></e2></r2>2] {END_TAG} {ATTRIBUTES}"),
    );
}

#[test]
fn what_xml_does_not_allow_in_text() {
    check(
        "<r><t>a & b &x;</t></r>",
        "[1<r><t>{a & b &x;@1}</t1></r1>1] (a bare `&` or an unknown entity was taken as text)",
    );
    check("<r><t>a ]]> b</t></r>", "[1<r><t>{a ]]> b@1}</t1></r1>1] (a bare `]]>` was taken as text)");
    check("<r><t>1 < 2</t></r>", &format!("[1<r><t>{{1 < 2@1}}</t1></r1>1] {LESS}"));
    check(
        "<r><t>\x1b[31mred\x1b[0m \0</t></r>",
        "[1<r><t>{red @1}</t1></r1>1] (characters that XML doesn't allow were dropped)",
    );
}

#[test]
fn encodings() {
    check(b"<?xml version='1.0' encoding='ISO-8859-1'?><r><e a='\xe9'/></r>", "[1<r><e \u{e9}></e1></r1>1]");
    check(
        b"<r><e a='\xe9'/></r>",
        "[1<r><e \u{fffd}></e1></r1>1] (bytes that are no text in the document's encoding were replaced)",
    );
}

#[test]
fn document_types_are_not_read() {
    let dtd = "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY a \"]>\"><!ENTITY b SYSTEM 'file:///etc/passwd'>]>\n<r><t>&a;&b;</t></r>";
    check(
        dtd,
        "[2<r><t>{&a;&b;@2}</t2></r2>2] (a bare `&` or an unknown entity was taken as text) (a document type declaration was not read; its entities are not expanded)",
    );
}

#[test]
fn long_text_is_cut_before_it_is_read() {
    let long = "é".repeat(LONGEST_TEXT);
    check(format!("<r><t>{long}</t></r>"), &format!("[1<r><t>{{{}@1}}</t1></r1>1] {LONG}", "é".repeat(20)));
    check(format!("<r><skip>{long}</skip></r>"), &format!("[1<r><skip></skip1></r1>1] {LONG}"));
    check(format!("<r><e b='{long}' a='1'/></r>"), "[1<r><e 1></e1></r1>1]");
    check(
        format!("<r><e a='x{long}'/></r>"),
        &format!("[1<r><e x{}></e1></r1>1] (attributes of more than 64 KiB were cut)", "é".repeat(19)),
    );
}

#[test]
fn depth_costs_a_name() {
    let depth = 100_000;
    let input = format!("<r>{}{}</r>", "<e>".repeat(depth), "</e>".repeat(depth));
    assert!(read(input.as_bytes(), 1 << 16).ends_with("</r1>1]"));
    let unmatched = format!("<r>{}{}</r>", "<e>".repeat(depth), "</x>".repeat(depth));
    assert!(read(unmatched.as_bytes(), 1 << 16).contains("~1]"));
}

/// What was mended, with its first line, in blocks of this size.
fn mended(input: &str, size: usize) -> Vec<String> {
    let mut xml = Xml::new(Told::default());
    let mut number = 1;
    for block in input.as_bytes().chunks(size) {
        xml.push(block, number);
        number += newlines(block);
    }
    xml.finish();
    xml.mended().notes().map(|note| format!("{} in {}", note.message, note.lines.unwrap().first)).collect()
}

#[test]
fn what_is_said_does_not_depend_on_where_blocks_end() {
    check("<r\n a='1'\n/>", "[1<r 1></r3>3]");
    for size in [1, 2, 7, 100] {
        let said = mended("<r><t>a\n b\n c ]]> d</t></r>", size);
        assert_eq!(said, ["a bare `]]>` was taken as text in 3"], "in blocks of {size}");
        let said = mended("<r><skip>\u{1}a\n\u{2}b</skip></r>", size);
        assert_eq!(said, ["characters that XML doesn't allow were dropped in 1"], "in blocks of {size}");
    }
}
