use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, KOI8_R, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252,
    WINDOWS_1253, WINDOWS_1254,
};
use encoding_rs::{WINDOWS_874, WINDOWS_1256};
use icu_locale::exemplar_chars::ExemplarCharacters;
use icu_locale::{Locale, locale};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn told(encoding: &'static Encoding, text: &str) -> Option<String> {
    let (bytes, _, lossy) = encoding.encode(text);
    assert!(!lossy, "{text}");
    let decoded = decode(&bytes);
    let is_right = decoded.text == text;
    (!is_right).then(|| format!("{} as {}: {}\n", text, decoded.encoding, decoded.text))
}

fn all_told(encoding: &'static Encoding, texts: &[&str]) {
    let wrong: String = texts
        .iter()
        .filter_map(|text| told(encoding, text))
        .collect();
    assert_eq!(wrong, "");
}

#[test]
fn short_chinese_texts_in_gbk_are_told() {
    all_told(
        GB18030,
        &[
            "今天天气很好",
            "今天天气很好，我们去公园散步。",
            "接口联调",
            "日期,项目,人员,耗时(小时)\n2025-03-03,接口联调,张伟,6\n",
            "会议纪要：四月发布范围",
            "光的反射定律及其应用",
            "第一季度销售额增长了百分之十五。",
            "地区;金额\n华东;100,5\n",
            "请各部门于本周五前提交总结",
            "价格：￥12.50元/千克",
            "《红楼梦》是中国古典小说。",
            "存储计算与备份方案",
            "- 检查“设备”…",
            "姓名 年龄 城市 北京 上海",
        ],
    );
}

#[test]
fn short_chinese_texts_in_big5_are_told() {
    all_told(
        BIG5,
        &[
            "今天天氣很好，我們去公園散步。",
            "備註數量單價",
            "會議紀錄：四月發佈範圍",
            "臺北市立圖書館開放時間",
            "請各部門於本週五前提交總結",
            "光的反射定律及其應用",
            "第一季銷售額成長百分之十五。",
            "學生姓名,數學,國文\n陳小明,90,85\n",
        ],
    );
}

#[test]
fn short_japanese_texts_are_told() {
    let texts = [
        "今日はとても天気がいいです。",
        "会議の議事録を送ります。",
        "東京都の人口は約1400万人です。",
        "商品名,価格,在庫\nりんご,120,30\n",
        "データベースの設計について",
        "お問い合わせありがとうございます",
    ];
    all_told(SHIFT_JIS, &texts);
    all_told(EUC_JP, &texts);
    all_told(EUC_JP, &["東京都千代田区永田町一丁目、営業時間"]);
    all_told(ISO_2022_JP, &texts);
}

#[test]
fn short_korean_texts_are_told() {
    all_told(
        EUC_KR,
        &[
            "오늘은 날씨가 좋습니다.",
            "회의록을 보내 드립니다.",
            "서울의 인구는 약 940만 명입니다.",
            "이름,나이,도시\n김민수,25,부산\n",
            "문의해 주셔서 감사합니다",
        ],
    );
}

#[test]
fn short_european_texts_are_told() {
    all_told(
        WINDOWS_1252,
        &[
            "L'été dernier, à Paris",
            "Le café est très bon.",
            "Où êtes-vous né ?",
            "Straße nach München",
            "Die Prüfung fällt aus.",
            "Größe: 5 m², Preis: 20 €",
            "El niño comió mañana",
            "Kø i åen på søen",
            "naïve “quotes” – dash",
            "Überprüfung der Geräte",
            "À bientôt, François",
        ],
    );
    all_told(
        WINDOWS_1251,
        &[
            "Сегодня хорошая погода.",
            "Протокол собрания",
            "Итого",
            "Москва — столица России",
            "Имя,Возраст\nИван,25\n",
        ],
    );
    all_told(
        WINDOWS_1250,
        &[
            "Zażółć gęślą jaźń",
            "Příliš žluťoučký kůň",
            "Łódź i Kraków są piękne",
        ],
    );
}

#[test]
fn utf_16_is_told_with_and_without_a_mark() {
    for text in [
        "今天天气很好\n一二三\n",
        "plain text",
        "Ärger 25 €\n",
        "# 一\n\n一一一",
    ] {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let with_mark = [&[0xFF, 0xFE], little.as_slice()].concat();
        for bytes in [little, big, with_mark] {
            assert_eq!(super::text(&bytes), text);
        }
    }
}

#[test]
fn broken_bytes_are_counted_and_spoil_nothing_else() {
    let mut bytes = "一二三四五六七八，九十。".as_bytes().to_vec();
    bytes.insert(6, 0xFF);
    bytes.pop();
    let decoded = decode(&bytes);
    assert_eq!((decoded.encoding, decoded.undecodable), ("UTF-8", 2));
    let mut document = SourceDocument::default();
    decoded.note(&mut document);
    assert_eq!(
        document.omissions[0].what,
        "2 places that are no characters of UTF-8"
    );
    let (bytes, _, _) = GB18030.encode("第一行是对的。\n第二行也是对的。\n第三行坏了");
    let mut bytes = bytes.into_owned();
    bytes.extend(b"\xFF\n");
    let (more, _, _) = GB18030.encode("第四行又是对的。\n第五行也是对的。\n");
    bytes.extend(more.iter());
    let decoded = decode(&bytes);
    assert_eq!((decoded.encoding, decoded.undecodable), ("gb18030", 1));
}

#[test]
fn a_byte_of_an_older_encoding_leaves_the_rest_of_a_short_text_as_it_is() {
    let decoded = decode(b"# Title\n\nGood caf\xC3\xA9 line.\n\nBad caf\xE9 line 3,5 %.\n");
    let expected = "# Title\n\nGood caf\u{E9} line.\n\nBad caf\u{FFFD} line 3,5 %.\n";
    assert_eq!(
        (decoded.text.as_str(), decoded.encoding),
        (expected, "UTF-8")
    );
    assert_eq!(decoded.undecodable, 1);
}

#[test]
fn long_tables_of_few_words_are_told() {
    let tables = [
        (GB18030, "订单号,客户,金额,状态", "SO#,客户#,13.37,完成"),
        (GB18030, "員工,部門,薪資", "員工#,業務,100"),
        (GB18030, "姓名,部门", "龚鑫#,采购"),
        (BIG5, "訂單,客戶,狀態", "SO#,客戶#,完成"),
        (SHIFT_JIS, "氏名,部署", "山田#,営業"),
        (EUC_JP, "注文番号,顧客,状態", "SO#,顧客#,完了"),
        (EUC_KR, "주문,고객", "SO#,고객#"),
        (WINDOWS_1252, "GRÖSSE;ÄNDERUNG", "ÄÖÜ#;ÜBERGRÖSSE"),
        (WINDOWS_1252, "Año;Situación", "Año #;ATENCIÓN"),
        (WINDOWS_1250, "Zákazník;Částka", "Objednávka #;hotovo"),
        (WINDOWS_1251, "МОСКВА;ОТЧЁТ", "МОСКВА #;ИТОГО"),
        (KOI8_R, "Имя;Сумма", "Заказ #;Готово"),
        (WINDOWS_1253, "Όνομα;Ποσό", "Παραγγελία #;Έτοιμο"),
        (WINDOWS_1254, "Müşteri;Tutar", "Sipariş #;Tamamlandı"),
        (WINDOWS_1256, "الاسم;المبلغ", "طلب #;جاهز"),
        (WINDOWS_874, "ชื่อ;จำนวน", "คำสั่ง #;เสร็จ"),
    ];
    for (encoding, head, row) in tables {
        let rows = (0..300).map(|number| row.replace('#', &number.to_string()));
        let table: Vec<String> = std::iter::once(head.to_owned()).chain(rows).collect();
        all_told(encoding, &[&table.join("\n")]);
    }
}

#[test]
fn what_may_be_two_texts_is_named() {
    let (bytes, _, _) = GB18030.encode("北京");
    let decoded = decode(&bytes);
    assert_eq!(decoded.text, "北京");
    let mut document = SourceDocument::default();
    decoded.note(&mut document);
    assert_eq!(
        document.omissions[0].what,
        "whether the encoding is gb18030 or EUC-JP"
    );
}

/// The ideographs that a language is written with and that this encoding has.
fn ideographs(language: &Locale, encoding: &'static Encoding) -> Vec<char> {
    let set = ExemplarCharacters::try_new_main(&language.into()).expect("it is compiled in");
    ('\u{4E00}'..='\u{9FFF}')
        .filter(|c| set.contains(*c) && !encoding.encode(&c.to_string()).2)
        .collect()
}

proptest! {
    #[test]
    fn everyday_ideographs_are_read_in_the_encoding_they_are_written_in(
        simplified in vec(vec(select(ideographs(&locale!("zh"), GB18030)), 1..6), 20..60),
        traditional in vec(vec(select(ideographs(&locale!("zh-Hant"), BIG5)), 1..6), 20..60),
    ) {
        for (encoding, words) in [(GB18030, simplified), (BIG5, traditional)] {
            let words: Vec<String> = words.into_iter().map(String::from_iter).collect();
            let told = told(encoding, &words.join(","));
            prop_assert!(told.is_none(), "{told:?}");
        }
    }
}
