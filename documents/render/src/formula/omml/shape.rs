//! The shapes of Office Math: fractions, roots, scripts, fences, matrices.

use super::super::tree::{Column, Frame, Kind, Part, Room, Table};
use super::run::Look;
use super::{Place, Writer, flatten};

impl Writer<'_> {
    /// One thing above another.
    pub(super) fn fraction(&mut self, above: &Part, below: &Part, ruled: bool) {
        self.open("f");
        self.properties("fPr", &[("type", if ruled { "bar" } else { "noBar" })]);
        self.argument("num", above);
        self.argument("den", below);
        self.close("f");
    }

    /// A root.
    pub(super) fn root(&mut self, of: &Part, degree: Option<&Part>) {
        self.open("rad");
        if let Some(degree) = degree {
            self.argument("deg", degree);
        } else {
            self.properties("radPr", &[("degHide", "1")]);
            self.out.push_str("<m:deg/>");
        }
        self.argument("e", of);
        self.close("rad");
    }

    /// The base with what is above and below it.
    pub(super) fn scripts(
        &mut self,
        base: &Part,
        above: Option<&Part>,
        below: Option<&Part>,
        as_limits: bool,
    ) {
        if as_limits {
            self.limits(base, above, below);
            return;
        }
        let name = match (above, below) {
            (Some(_), Some(_)) => "sSubSup",
            (Some(_), None) => "sSup",
            (None, Some(_)) => "sSub",
            (None, None) => return self.content(base),
        };
        self.open(name);
        self.argument("e", base);
        if let Some(below) = below {
            self.argument("sub", below);
        }
        if let Some(above) = above {
            self.argument("sup", above);
        }
        self.close(name);
    }

    /// The base with limits straight over and under it. With both limits, the base with one limit is the base of the other limit.
    fn limits(&mut self, base: &Part, above: Option<&Part>, below: Option<&Part>) {
        let (name, limit, inner) = match (above, below) {
            (Some(above), inner) => ("limUpp", above, inner),
            (None, Some(below)) => ("limLow", below, None),
            (None, None) => return self.content(base),
        };
        self.open(name);
        if inner.is_some() {
            self.open("e");
            self.limits(base, None, inner);
            self.close("e");
        } else {
            self.argument("e", base);
        }
        self.argument("lim", limit);
        self.close(name);
    }

    /// What is written small before the base.
    pub(super) fn prescripts(&mut self, base: &Part, above: Option<&Part>, below: Option<&Part>) {
        let empty = Part::Row(Vec::new());
        self.open("sPre");
        self.argument("sub", below.unwrap_or(&empty));
        self.argument("sup", above.unwrap_or(&empty));
        self.argument("e", base);
        self.close("sPre");
    }

    /// A large operator with its bounds, and what it applies to.
    pub(super) fn nary(&mut self, part: &Part, operand: &[&Part]) {
        let (above, below, as_limits) = if let Part::Scripts {
            above,
            below,
            as_limits,
            ..
        } = part
        {
            (above.as_deref(), below.as_deref(), *as_limits)
        } else {
            (None, None, false)
        };
        self.open("nary");
        let mut properties = vec![("chr", part.large().unwrap_or_default())];
        properties.push(("limLoc", if as_limits { "undOvr" } else { "subSup" }));
        properties.extend(below.is_none().then_some(("subHide", "1")));
        properties.extend(above.is_none().then_some(("supHide", "1")));
        self.properties("naryPr", &properties);
        self.bound("sub", below);
        self.bound("sup", above);
        self.arguments("e", operand);
        self.close("nary");
    }

    /// A bound, whose element stays where it is hidden.
    fn bound(&mut self, name: &str, bound: Option<&Part>) {
        match bound {
            Some(part) => self.argument(name, part),
            None => self.out.extend(["<m:", name, "/>"]),
        }
    }

    /// A function, and what it applies to.
    pub(super) fn func(&mut self, part: &Part, operand: &[&Part]) {
        self.open("func");
        self.open("fName");
        self.part(part, Place::ALONE);
        self.close("fName");
        self.arguments("e", operand);
        self.close("func");
    }

    /// Fences as high as what they hold. The format names the bars that divide it only once, so that they must all be the same.
    pub(super) fn fenced(&mut self, open: &str, close: &str, inner: &Part) {
        let mut parts = Vec::new();
        flatten(inner, &mut parts);
        let mut bars = parts.iter().filter_map(|part| {
            if let Part::Middle(sign) = part {
                Some(sign)
            } else {
                None
            }
        });
        let bar = bars.next().filter(|first| bars.all(|bar| bar == *first));
        self.open("d");
        let mut properties = vec![("begChr", open)];
        properties.extend(bar.map(|bar| ("sepChr", bar.as_str())));
        properties.push(("endChr", close));
        self.properties("dPr", &properties);
        let divides = |part: &&Part| bar.is_some() && matches!(part, Part::Middle(_));
        for section in parts.split(divides) {
            self.arguments("e", section);
        }
        self.close("d");
    }

    /// A matrix, aligned equations, or lines under each other.
    pub(super) fn table(&mut self, table: &Table) {
        match table.kind {
            Kind::Lines => {
                self.open("eqArr");
                for line in table.rows.iter().flatten() {
                    self.argument("e", line);
                }
                self.close("eqArr");
            }
            Kind::Grid => self.matrix(table, &[("plcHide", "1")]),
            // Rule 3 is an exact gap, here none. An equation array with `&` would be Word's own way, but others show
            // the `&` as a sign.
            Kind::Aligned => {
                self.matrix(table, &[("plcHide", "1"), ("cGpRule", "3"), ("cGp", "0")]);
            }
        }
    }

    /// Rows and columns.
    fn matrix(&mut self, table: &Table, properties: &[(&str, &str)]) {
        self.open("m");
        self.open("mPr");
        for (name, value) in properties {
            self.value(name, value);
        }
        self.open("mcs");
        for column in &table.columns {
            let side = match column {
                Column::Left => "left",
                Column::Center => "center",
                Column::Right => "right",
            };
            self.open("mc");
            self.properties("mcPr", &[("count", "1"), ("mcJc", side)]);
            self.close("mc");
        }
        self.close("mcs");
        self.close("mPr");
        for row in &table.rows {
            self.open("mr");
            for cell in row {
                self.argument("e", cell);
            }
            self.close("mr");
        }
        self.close("m");
    }

    /// A mark over or under the base. Marks that combine are accents; the others are group characters.
    pub(super) fn accent(&mut self, mark: char, over: bool, base: &Part) {
        if !over || !is_combining(mark) {
            return self.group(group(mark), over, base);
        }
        self.open("acc");
        self.properties("accPr", &[("chr", mark.encode_utf8(&mut [0; 4]))]);
        self.argument("e", base);
        self.close("acc");
    }

    /// A line over or under the base.
    pub(super) fn line(&mut self, over: bool, base: &Part) {
        self.open("bar");
        self.properties("barPr", &[("pos", if over { "top" } else { "bot" })]);
        self.argument("e", base);
        self.close("bar");
    }

    /// A brace over or under the base, which stays on its line.
    pub(super) fn group(&mut self, sign: char, over: bool, base: &Part) {
        let (position, line) = if over { ("top", "bot") } else { ("bot", "top") };
        self.group_with(sign, position, line, base);
    }

    /// A group character at its position, with its top or its bottom on the line.
    fn group_with(&mut self, sign: char, position: &str, line: &str, base: &Part) {
        self.open("groupChr");
        let mut bytes = [0; 4];
        let sign: &str = sign.encode_utf8(&mut bytes);
        self.properties(
            "groupChrPr",
            &[("chr", sign), ("pos", position), ("vertJc", line)],
        );
        self.argument("e", base);
        self.close("groupChr");
    }

    /// An arrow with its labels. Under or over one label it is a group character, which is as long as the label, and
    /// stays on the line itself; between two it is a long arrow with limits, which is what others than Word can read.
    pub(super) fn arrow(&mut self, sign: char, above: Option<&Part>, below: Option<&Part>) {
        match (above, below) {
            (None, None) => self.write(Look::Math, long(sign).encode_utf8(&mut [0; 4])),
            (Some(above), None) => self.group_with(sign, "bot", "bot", above),
            (None, Some(below)) => self.group_with(sign, "top", "top", below),
            (Some(_), Some(_)) => self.limits(&Part::Middle(long(sign).into()), above, below),
        }
    }

    /// A box, or a line through the inner part.
    pub(super) fn framed(&mut self, frame: Frame, inner: &Part) {
        const OPEN: [(&str, &str); 4] = [
            ("hideTop", "1"),
            ("hideBot", "1"),
            ("hideLeft", "1"),
            ("hideRight", "1"),
        ];
        let mut properties = match frame {
            Frame::Box => Vec::new(),
            Frame::Angle => vec![("hideBot", "1"), ("hideLeft", "1")],
            Frame::Rising | Frame::Falling | Frame::Cross | Frame::Struck => OPEN.to_vec(),
        };
        properties.extend((frame == Frame::Struck).then_some(("strikeH", "1")));
        properties
            .extend(matches!(frame, Frame::Rising | Frame::Cross).then_some(("strikeBLTR", "1")));
        properties
            .extend(matches!(frame, Frame::Falling | Frame::Cross).then_some(("strikeTLBR", "1")));
        self.open("borderBox");
        if !properties.is_empty() {
            self.properties("borderBoxPr", &properties);
        }
        self.argument("e", inner);
        self.close("borderBox");
    }

    /// A part that takes the room it is said to.
    pub(super) fn phantom(&mut self, seen: bool, room: Room, inner: &Part) {
        let mut properties = vec![("show", if seen { "1" } else { "0" })];
        properties.extend((!room.width).then_some(("zeroWid", "1")));
        properties.extend((!room.height).then_some(("zeroAsc", "1")));
        properties.extend((!room.depth).then_some(("zeroDesc", "1")));
        self.open("phant");
        self.properties("phantPr", &properties);
        self.argument("e", inner);
        self.close("phant");
    }
}

/// Whether the mark is written after a letter to stand over it.
fn is_combining(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36F}' | '\u{20D0}'..='\u{20FF}')
}

/// The group character for a mark.
fn group(mark: char) -> char {
    match mark {
        '\u{20D6}' => '←',
        '\u{20D7}' => '→',
        '\u{20E1}' => '↔',
        '\u{303}' => '~',
        other => other,
    }
}

/// The long form of an arrow without labels.
fn long(sign: char) -> char {
    match sign {
        '→' => '⟶',
        '←' => '⟵',
        '↔' => '⟷',
        '⇒' => '⟹',
        '⇐' => '⟸',
        '⇔' => '⟺',
        '↦' => '⟼',
        other => other,
    }
}
