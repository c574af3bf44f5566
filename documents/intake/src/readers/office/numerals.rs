//! Numbers in the forms of lists and notes.

/// A number in one of the forms that Word names; a form that is not known here is shown in digits.
pub(in crate::readers) fn numeral(form: &str, number: u64) -> String {
    match form {
        "lowerLetter" | "a" => letters(number, 'a'),
        "upperLetter" | "A" => letters(number, 'A'),
        "lowerRoman" | "i" => roman(number).to_lowercase(),
        "upperRoman" | "I" => roman(number),
        "decimalZero" => format!("{number:02}"),
        "chineseCounting"
        | "chineseCountingThousand"
        | "ideographDigital"
        | "japaneseCounting"
        | "taiwaneseCounting"
        | "taiwaneseCountingThousand"
        | "一, 二, 三, ..." => chinese(number),
        "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" | "①, ②, ③, ..." => {
            circled(number)
        }
        "ideographTraditional" => of_row(number, "甲乙丙丁戊己庚辛壬癸"),
        "ideographZodiac" => of_row(number, "子丑寅卯辰巳午未申酉戌亥"),
        _ => number.to_string(),
    }
}

/// After z come aa, bb, cc.
fn letters(number: u64, first: char) -> String {
    let Some(index) = number.checked_sub(1) else {
        return number.to_string();
    };
    let offset = u8::try_from(index % 26).unwrap_or(0);
    let letter = char::from(u8::try_from(first).unwrap_or(b'a') + offset);
    let times = usize::try_from(index / 26).unwrap_or(0) + 1;
    if times > 8 {
        return number.to_string();
    }
    letter.to_string().repeat(times)
}

fn roman(number: u64) -> String {
    const SIGNS: [(u64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if number == 0 || number > 4_999 {
        return number.to_string();
    }
    let mut left = number;
    let mut roman = String::new();
    for (value, sign) in SIGNS {
        while left >= value {
            roman.push_str(sign);
            left -= value;
        }
    }
    roman
}

/// 一, 十二, 二十, 一百零五; digits from ten thousand on.
fn chinese(number: u64) -> String {
    const DIGITS: [&str; 10] = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    const UNITS: [(u64, &str); 4] = [(1000, "千"), (100, "百"), (10, "十"), (1, "")];
    if number == 0 || number > 9_999 {
        return number.to_string();
    }
    let mut text = String::new();
    let mut gap = false;
    for (unit, sign) in UNITS {
        let digit = usize::try_from(number / unit % 10).unwrap_or(0);
        if digit == 0 {
            gap = !text.is_empty();
            continue;
        }
        if gap {
            text.push('零');
            gap = false;
        }
        if !(unit == 10 && digit == 1 && text.is_empty()) {
            text.push_str(DIGITS[digit]);
        }
        text.push_str(sign);
    }
    text
}

fn circled(number: u64) -> String {
    let sign = match number {
        1..=20 => u32::try_from(number).ok().map(|number| 0x245F + number),
        _ => None,
    };
    sign.and_then(char::from_u32)
        .map_or_else(|| number.to_string(), String::from)
}

fn of_row(number: u64, row: &str) -> String {
    let index = number
        .checked_sub(1)
        .and_then(|index| usize::try_from(index).ok());
    index
        .and_then(|index| row.chars().nth(index))
        .map_or_else(|| number.to_string(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_lists_show_them() {
        let shown = [
            ("decimal", 12, "12"),
            ("lowerLetter", 28, "bb"),
            ("upperRoman", 1994, "MCMXCIV"),
            ("chineseCounting", 12, "十二"),
            ("chineseCounting", 105, "一百零五"),
            ("chineseCounting", 20, "二十"),
            ("decimalEnclosedCircle", 3, "③"),
            ("ideographTraditional", 2, "乙"),
        ];
        for (form, number, text) in shown {
            assert_eq!(numeral(form, number), text, "{form}");
        }
    }
}
