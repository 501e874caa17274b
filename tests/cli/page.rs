//! The pages of `blackfield tune FILE --report` and `info FILE --report` in a browser without a window, where one is
//! installed: that its plots are drawn, where they belong, in their colours, and that no two labels touch.
//!
//! `BLACKFIELD_BROWSER` names a browser of Chromium's kind; else the usual names are looked for. Without one the tests
//! print `skipped`.

use crate::Lab;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A script, which a copy of the page gets: it replaces the page by what was laid out, as JSON.
const PROBE: &str = r#"<script>
const box = e => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
const colour = e => { const style = getComputedStyle(e); return style.stroke != "none" ? style.stroke : style.fill; };
const charts = [...document.querySelectorAll("svg")].map(svg => ({
  title: svg.querySelector("title").textContent,
  box: box(svg),
  texts: [...svg.querySelectorAll("text")].map(e => ({words: e.textContent, box: box(e)})),
  marks: [...svg.querySelectorAll("polyline, rect, circle, image")].map(e =>
    ({kind: e.tagName, box: box(e), colour: colour(e)})),
}));
const img = document.querySelector("img");
const found = {charts, picture: img ? [img.naturalWidth, img.naturalHeight, ...box(img)] : null,
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  rows: document.querySelectorAll("tr").length};
const text = document.createElement("pre");
text.id = "probe";
text.textContent = JSON.stringify(found);
document.body.replaceChildren(text);
</script>"#;

/// A browser, if there is one.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("BLACKFIELD_BROWSER") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

impl Lab {
    /// What the browser prints for a page of the lab, in a window of this size.
    fn browse(&self, browser: &PathBuf, page: &str, [width, height]: [u32; 2], more: &[&str]) -> String {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", self.dir.join("browser").display()))
            .arg(format!("--window-size={width},{height}"))
            .args(more)
            .arg(format!("file://{}", self.dir.join(page).display()))
            .stderr(Stdio::null())
            .output()
            .expect("the browser runs");
        assert!(output.status.success(), "{browser:?} ends with {}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    /// What the probe finds in `r.html` in a window of this width.
    fn probe(&self, browser: &PathBuf, width: u32) -> Value {
        let page = String::from_utf8(self.read("r.html")).unwrap();
        self.write("probed.html", page.replace("</body>", &format!("{PROBE}</body>")));
        let dom = self.browse(browser, "probed.html", [width, 900], &["--dump-dom"]);
        let json = dom.split("<pre id=\"probe\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let json = json.unwrap_or_else(|| panic!("no probe in {dom}"));
        let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&");
        serde_json::from_str(&json).unwrap()
    }

    /// A screenshot as rows of pixels, red, green and blue.
    fn screenshot(&self, browser: &PathBuf, more: &[&str]) -> Vec<[u8; 3]> {
        let to = self.dir.join("shot.png");
        self.browse(browser, "r.html", [1120, 2600], &[more, &[&format!("--screenshot={}", to.display())]].concat());
        let mut reader = png::Decoder::new(std::io::Cursor::new(self.read("shot.png"))).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let samples = info.color_type.samples();
        assert!(samples >= 3 && info.width == 1120, "{info:?}");
        pixels.chunks_exact(samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }
}

/// Left, top, right, bottom.
fn corners(of: &Value) -> [f64; 4] {
    [0, 1, 2, 3].map(|k| of["box"][k].as_f64().unwrap())
}

/// Whether two boxes share more than their edges.
fn touch(a: [f64; 4], b: [f64; 4]) -> bool {
    a[0] < b[2] - 0.5 && b[0] < a[2] - 0.5 && a[1] < b[3] - 2.0 && b[1] < a[3] - 2.0
}

fn list(of: &Value) -> &[Value] {
    of.as_array().unwrap()
}

/// All marks and labels of a chart lie within it, and no two labels touch.
fn check_layout(chart: &Value) {
    let (title, frame) = (&chart["title"], corners(chart));
    assert!(frame[2] - frame[0] > 100.0 && frame[3] - frame[1] > 5.0, "{title} is {frame:?}");
    let (texts, marks) = (list(&chart["texts"]), list(&chart["marks"]));
    assert!(!marks.is_empty(), "{title} is empty");
    for part in texts.iter().chain(marks) {
        let [left, top, right, bottom] = corners(part);
        let within = left >= frame[0] - 1.0 && right <= frame[2] + 1.0;
        assert!(within && top >= frame[1] - 1.0 && bottom <= frame[3] + 1.0, "{title} {frame:?}: {part}");
        // A line of a single point is none: its circle shows it.
        assert!(right > left || bottom > top || part["kind"] == json!("polyline"), "{title}: {part}");
    }
    for (k, a) in texts.iter().enumerate() {
        for b in &texts[..k] {
            assert!(!touch(corners(a), corners(b)), "{title}: {a} and {b}");
        }
    }
}

#[test]
fn the_plots_of_a_report_are_drawn() {
    let Some(browser) = browser() else { return println!("skipped: no browser") };
    let lab = Lab::new("page");
    for (name, p, more) in [
        ("ch4-4-b2", 65521, "--widths 1,8,32"),
        ("Trefethen_200", 2147483647, "--threads 1 --widths 16"),
        ("EX1", 2, "--threads 8"),
    ] {
        lab.answer(&format!("generate {name} -o {name}.mtx"));
        let table = lab.answer(&format!("tune {name}.mtx -p {p} --quick --report r.html {more}"));
        let found = lab.probe(&browser, 1120);
        assert_eq!(found["overflow"], json!(0), "{name}");
        let picture: Vec<f64> = list(&found["picture"]).iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(picture[0] >= 100.0 && picture[1] >= 100.0 && picture[4] - picture[2] > 20.0, "{name}: {picture:?}");

        let charts = list(&found["charts"]);
        charts.iter().for_each(check_layout);
        let chart = |title: &str| charts.iter().find(|chart| chart["title"] == json!(title)).unwrap();
        let count =
            |chart: &Value, kind: &str| list(&chart["marks"]).iter().filter(|m| m["kind"] == json!(kind)).count();
        // A line for each plan that was timed, and one for each floor; a point for each width, but not on the floors.
        let lines = chart("GMAC/s by block width");
        let plans =
            table.lines().skip(2).take_while(|line| !line.starts_with("floor")).filter(|l| !l.contains("too large"));
        let (plans, widths) = (plans.count(), table.lines().nth(1).unwrap().split_whitespace().count() - 2);
        assert!(plans >= 2, "{table}");
        assert_eq!((count(lines, "polyline"), count(lines, "circle")), (plans + 2, plans * widths), "{table}");
        let colours: std::collections::BTreeSet<_> =
            list(&lines["marks"]).iter().map(|mark| mark["colour"].as_str().unwrap()).collect();
        assert_eq!(colours.len(), plans + 1, "{colours:?}");
        let threads = table.split("\nthreads, ").nth(1).unwrap().lines().next().unwrap().matches(" by ").count();
        assert_eq!(count(chart("GMAC/s by threads"), "rect"), threads);
        assert!(count(chart("predicted seconds by method"), "rect") >= 3);

        // In a narrow window nothing is cut off.
        assert_eq!(lab.probe(&browser, 500)["overflow"], json!(0), "{name}");
    }
    // What was chosen has its colour; dark where the reader's system is.
    for (dark, ink, paper) in
        [(false, [0x14, 0x63, 0xd8], [0xf5, 0xf6, 0xf8]), (true, [0x5a, 0xa2, 0xff], [0x11, 0x15, 0x1c])]
    {
        let more: &[&str] = if dark { &["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] } else { &[] };
        let pixels = lab.screenshot(&browser, more);
        let of = |colour: [u8; 3]| pixels.iter().filter(|&&pixel| pixel == colour).count();
        assert!(of(paper) > pixels.len() / 20 && of(ink) > 1000, "{dark}: {} and {}", of(paper), of(ink));
    }
}

#[test]
fn a_matrix_and_the_way_to_its_rank_fill_a_page() {
    let Some(browser) = browser() else { return println!("skipped: no browser") };
    let lab = Lab::new("info-page");
    lab.write("none.sms", "4 3 M\n0 0 0\n");
    for (name, p) in [("mk8-b2", 65521), ("EX1", 2), ("none", 7)] {
        if name != "none" {
            lab.answer(&format!("generate {name} -o {name}.sms"));
        }
        let text = lab.answer(&format!("info {name}.sms -p {p} --report r.html"));
        let page = String::from_utf8(lab.read("r.html")).unwrap();
        assert!(!page.contains("<script") && !page.contains("src=\"http") && !page.contains("@import"), "{name}");
        let rank = text.split("structural rank ").nth(1).unwrap().lines().next().unwrap();
        assert!(page.contains(&format!("structural rank {rank} bounds")), "{name}");
        for width in [1120, 500] {
            let found = lab.probe(&browser, width);
            assert_eq!(found["overflow"], json!(0), "{name}");
            let charts = list(&found["charts"]);
            let kinds =
                |chart: &Value, kind: &str| list(&chart["marks"]).iter().filter(|m| m["kind"] == json!(kind)).count();
            if name == "none" {
                assert_eq!(charts.len(), 2, "{charts:?}");
                continue;
            }
            charts.iter().for_each(check_layout);
            assert_eq!(kinds(&charts[0], "image"), 1, "the pattern");
            let document = lab.document(&format!("info {name}.sms -p {p} --json"));
            let bins =
                |of: &str| list(&document[of]["histogram"]).iter().filter(|bin| bin["lines"] != json!(0)).count();
            assert_eq!(kinds(&charts[1], "rect"), bins("row_weights") + bins("col_weights"), "{name}");
            let methods = charts.iter().find(|chart| chart["title"] == json!("predicted seconds by method"));
            assert!(kinds(methods.unwrap(), "rect") >= 3);
        }
    }
}
