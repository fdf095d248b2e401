"""Style and script of the report page."""

STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --soft: #56606b; --line: #d5dae0; --panel: #f4f6f8;
  --mark: #0b57b0; --bad: #a3150d; --good: #11662f; --l1: #fff3c9; --l2: #ffdf9a; --l3: #ffb98a; --l4: #f58d84;
  --c0: #0b57b0; --c1: #a6470b; --c2: #5b2a9d; --c3: #11662f; --c4: #a3150d; --old: #8d97a2; }
@media screen and (prefers-color-scheme: dark) { :root { --page: #14171b; --ink: #e8ebee; --soft: #a9b3be;
  --line: #39414a;
  --panel: #1d2126; --mark: #8cc0ff; --bad: #ff9d92; --good: #7fdc9f; --l1: #413a1c; --l2: #5c4412; --l3: #74390f;
  --l4: #85231d; --c0: #8cc0ff; --c1: #ffb27a; --c2: #cdb1ff; --c3: #7fdc9f; --c4: #ff9d92; --old: #77828e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--mark); }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.4rem 0; }
h2 { margin: 2.5rem 0 0.5rem; padding-top: 0.5rem; border-top: 2px solid var(--line); font-size: 1.35rem;
  overflow-wrap: anywhere; }
h3 { margin: 2rem 0 0.4rem; font-size: 1.1rem; overflow-wrap: anywhere; }
p, ul { max-width: 60rem; margin: 0.4rem 0; }
li { overflow-wrap: anywhere; }
.soft, figcaption { color: var(--soft); font-size: 0.92rem; }
.verdict { font-size: 1.3rem; font-weight: 700; padding: 0.7rem 1rem; border-left: 0.5rem solid var(--mark);
  background: var(--panel); }
.verdict.failed { border-color: var(--bad); color: var(--bad); }
.verdict.passed { border-color: var(--good); color: var(--good); }
.warns { font-weight: 600; padding: 0.5rem 1rem; border-left: 0.5rem solid var(--bad); background: var(--panel); }
.sum { display: flex; flex-wrap: wrap; gap: 0.8rem; margin: 1rem 0; }
.sum div { background: var(--panel); border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.5rem 0.9rem; }
.sum dt { color: var(--soft); font-size: 0.85rem; }
.sum dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.sum dd small { display: block; font-size: 0.8rem; font-weight: 400; color: var(--soft); }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); padding: 0.6rem;
  margin: 0.3rem 0; font-size: 0.85rem; }
nav a { display: inline-block; margin: 0 0.9rem 0.3rem 0; }
.scroll { overflow-x: auto; max-width: 100%; margin: 0.8rem 0; }
.scroll:focus-visible { outline: 3px solid var(--mark); }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0.2rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.45rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--line); vertical-align: bottom; }
tbody th { font-weight: 500; position: sticky; left: 0; background: var(--page); min-width: 12rem; max-width: 19rem;
  overflow-wrap: anywhere; }
td.n { text-align: right; white-space: nowrap; }
td.wide { min-width: 14rem; max-width: 40rem; overflow-wrap: anywhere; }
td small { color: inherit; display: block; font-size: 0.8em; }
.l1 { background: var(--l1); } .l2 { background: var(--l2); } .l3 { background: var(--l3); }
.l4 { background: var(--l4); font-weight: 700; }
.quiet caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
h4 { margin: 1.2rem 0 0.2rem; }
.key span { display: inline-block; color: var(--ink); padding: 0 0.5rem; margin: 0 0.3rem 0.2rem 0;
  border: 1px solid var(--line); }
.missing { color: var(--bad); font-weight: 700; }
th button { all: unset; cursor: pointer; font-weight: 700; text-decoration: underline dotted; }
th button:focus-visible { outline: 3px solid var(--mark); }
th[aria-sort="ascending"] button::after { content: " \\25B2"; }
th[aria-sort="descending"] button::after { content: " \\25BC"; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0.5rem 1.2rem;
  align-items: start; }
figure { margin: 0.8rem 0; break-inside: avoid; }
.drawing { display: block; width: 100%; height: auto; }
.charts .drawing { max-width: 30rem; }
.onset .drawing, .eeg .drawing { max-width: 46rem; }
.drawing text { font-size: 12px; fill: var(--soft); stroke: none; }
.drawing .label text { fill: var(--ink); stroke: var(--page); stroke-width: 4px; paint-order: stroke; }
.drawing path { fill: none; stroke-linejoin: round; }
.grid { stroke: var(--line); stroke-width: 1; }
.zero { stroke: var(--ink); stroke-width: 1; }
.base line { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 6 4; }
.level line { stroke: var(--bad); stroke-width: 1; stroke-dasharray: 2 3; }
.s0 { stroke: var(--c0); fill: var(--c0); } .s1 { stroke: var(--c1); fill: var(--c1); }
.s2 { stroke: var(--c2); fill: var(--c2); } .s3 { stroke: var(--c3); fill: var(--c3); }
.s4 { stroke: var(--c4); fill: var(--c4); }
.drawing path.s0, .drawing path.s1, .drawing path.s2, .drawing path.s3, .drawing path.s4 { stroke-width: 1.8; }
.drawing .mark { fill: inherit; }
.stem { stroke-width: 1; opacity: 0.6; }
.whisker { stroke-width: 1.2; }
.range { stroke-width: 2; }
.lead { stroke: var(--c0); } circle.lead { fill: var(--c0); }
.lag { stroke: var(--c1); } circle.lag { fill: var(--c1); }
.strokes { stroke: var(--soft); stroke-width: 0.8; opacity: 0.7; }
.drawing .before { stroke: var(--old); stroke-width: 1.6; }
.drawing .after { stroke: var(--c4); stroke-width: 0.8; }
.bar { stroke: var(--ink); stroke-width: 2; }
.event0 { fill: var(--ink); } .event1 { fill: var(--old); } .event2 { fill: var(--c4); }
.here { fill: none; stroke: var(--mark); stroke-width: 1.5; }
summary { cursor: pointer; color: var(--mark); }
@media (max-width: 42rem) { body { padding: 0.7rem; } .drawing text { font-size: 13px; }
  .onset .drawing, .eeg .drawing { min-width: 36rem; }
  tbody th { min-width: 7rem; max-width: 9rem; } td.wide { min-width: 12rem; } }
@media print { :root { color-scheme: light; } body { max-width: none; font-size: 10pt; padding: 0; }
  nav, .screen { display: none; } table { font-size: 7pt; } .scroll { overflow: visible; }
  tbody th { position: static; min-width: 0; max-width: 9rem; } th, td { padding: 0.1rem 0.2rem; }
  .onset .drawing, .eeg .drawing { max-width: 32rem; }
  h2, h3, caption { break-after: avoid; } tr { break-inside: avoid; }
  .charts { grid-template-columns: repeat(3, 1fr); } * { print-color-adjust: exact; } }
"""

# Adds the buttons itself, so that there is none where no script runs. What is not a number stands last.
SCRIPT = """
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const value = row => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
      const rows = [...body.rows].map(row => [value(row), row]);
      const numeric = rows.some(([text]) => text !== "n/a") && rows.every(([text]) => text === "n/a" || !isNaN(text));
      rows.sort(([a], [b]) => {
        if (a === "n/a" || b === "n/a") return (a === "n/a") - (b === "n/a");
        const order = numeric ? a - b : a.localeCompare(b, "en", { numeric: true });
        return down ? -order : order;
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}
"""
