/** The style of the web mailbox; light or dark according to the reader's system. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --paper: #ffffff; --ink: #1a1d24; --soft: #626b7a; --line: #e4e7ec; --hover: #f0f2f6;
  --brand: #4f46e5; --brand-ink: #3730a3; --brand-soft: #eef0ff;
  --good: #0a7a4b; --good-soft: #e2f6ec; --bad: #b42318; --bad-soft: #fdecea; --dull: #5b6474; --dull-soft: #eceff3;
  --warn: #92600a; --warn-soft: #fdf3dc;
  font: 14px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101218; --paper: #181b22; --ink: #e7e9ee; --soft: #99a2b3; --line: #2a2f3a; --hover: #20242d;
    --brand: #818cf8; --brand-ink: #c7ccff; --brand-soft: #252a4a;
    --good: #5dd8a0; --good-soft: #12352a; --bad: #ff8f85; --bad-soft: #43201d; --dull: #aab2c0; --dull-soft: #272c36;
    --warn: #f3c969; --warn-soft: #3b2f14;
  }
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--page); color: var(--ink); }
[hidden] { display: none !important; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--brand); outline-offset: 1px; }

.bar { display: flex; align-items: center; gap: 12px; padding: 10px 16px; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar h1 { font-size: 15px; font-weight: 650; margin: 0; white-space: nowrap; letter-spacing: -.01em; }
.logo { width: 26px; height: 26px; }
#search { flex: 1; max-width: 460px; margin-left: 12px; padding: 7px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--page); }
.state { margin-left: auto; color: var(--soft); font-size: 13px; white-space: nowrap; }
.state.lost { color: var(--bad); }
.quiet { border: 1px solid var(--line); background: none; border-radius: 8px; padding: 6px 12px; color: var(--soft); }
.quiet:hover { background: var(--hover); color: var(--ink); }

.panes { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(300px, 390px) 1fr; }
.list { overflow-y: auto; border-right: 1px solid var(--line); background: var(--paper); }
.list ol { list-style: none; margin: 0; padding: 0; }
.row { display: grid; grid-template-columns: 36px 1fr auto; gap: 2px 12px; width: 100%; padding: 11px 16px; text-align: left; border: 0; border-bottom: 1px solid var(--line); background: none; content-visibility: auto; contain-intrinsic-size: auto 84px; }
.row:hover { background: var(--hover); }
.row[aria-current="true"] { background: var(--brand-soft); box-shadow: inset 3px 0 var(--brand); }
.row.new { animation: arrive 1.2s ease-out; }
@keyframes arrive { from { background: var(--brand-soft); } }
@media (prefers-reduced-motion: reduce) { .row.new { animation: none; } }
.avatar { grid-row: 1 / span 3; width: 36px; height: 36px; border-radius: 50%; display: grid; place-items: center; color: #fff; font-weight: 600; font-size: 14px; margin-top: 2px; }
.who { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.when { color: var(--soft); font-size: 12px; white-space: nowrap; padding-top: 2px; }
.what { grid-column: 2 / 4; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.to { color: var(--soft); font-size: 12.5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.dots { display: flex; gap: 4px; align-items: center; justify-content: flex-end; }
.dot { width: 8px; height: 8px; border-radius: 50%; background: var(--dull); }
.dot.good { background: #16a34a; } .dot.bad { background: #dc2626; } .dot.warn { background: #d99a13; }
.empty { color: var(--soft); text-align: center; padding: 56px 24px; margin: 0; white-space: pre-line; }

.message { display: flex; flex-direction: column; min-width: 0; min-height: 0; background: var(--paper); outline: none; }
.nothing { margin: auto; color: var(--soft); text-align: center; padding: 24px; max-width: 360px; }
.head { padding: 20px 28px 0; }
.head h2 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; font-weight: 650; letter-spacing: -.015em; overflow-wrap: anywhere; }
.people { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0 0 12px; }
.people dt { color: var(--soft); } .people dd { margin: 0; overflow-wrap: anywhere; }
.badges { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 14px; }
.badge { border-radius: 6px; padding: 2px 9px; font-size: 12.5px; font-weight: 550; background: var(--dull-soft); color: var(--dull); }
.badge b { font-weight: 700; }
.badge.good { background: var(--good-soft); color: var(--good); } .badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.files { display: flex; flex-wrap: wrap; gap: 8px; margin-bottom: 14px; }
.file { display: inline-flex; gap: 8px; align-items: baseline; border: 1px solid var(--line); border-radius: 8px; padding: 5px 11px; color: inherit; text-decoration: none; max-width: 320px; }
.file:hover { background: var(--hover); } .file span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.file .size { color: var(--soft); font-size: 12px; white-space: nowrap; }
.tabs { display: flex; gap: 4px; align-items: center; border-bottom: 1px solid var(--line); }
.tab { border: 0; background: none; padding: 8px 12px; color: var(--soft); border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tab:hover { color: var(--ink); } .tab[aria-selected="true"] { color: var(--brand-ink); border-color: var(--brand); font-weight: 600; }
.tabs .download { margin-left: auto; color: var(--soft); font-size: 13px; text-decoration: none; } .tabs .download:hover { color: var(--ink); text-decoration: underline; }
.body { flex: 1; min-height: 0; overflow: auto; display: flex; flex-direction: column; }
.body iframe { flex: 1; width: 100%; border: 0; background: #fff; min-height: 200px; }
.body pre { margin: 0; padding: 20px 28px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.body pre.prose { font: inherit; font-size: 14.5px; line-height: 1.65; }
.note { display: flex; gap: 12px; align-items: center; padding: 8px 28px; background: var(--warn-soft); color: var(--warn); font-size: 13px; }
.note button { border: 1px solid currentColor; border-radius: 6px; background: none; padding: 2px 10px; }
table.facts { border-collapse: collapse; margin: 14px 28px 28px; table-layout: fixed; width: calc(100% - 56px); }
table.facts th { width: 190px; text-align: left; font-weight: 550; color: var(--soft); } table.facts th, table.facts td { vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; font-size: 13px; }
.back { display: none; }
@media (max-width: 760px) {
  .panes { grid-template-columns: 1fr; } .list { border-right: 0; }
  .panes.reading .list, .panes:not(.reading) .message { display: none; }
  .bar h1, .quiet { display: none; } #search { margin-left: 0; } .head { padding: 14px 16px 0; }
  .back { display: inline-block; margin-bottom: 10px; }
  .tabs { overflow-x: auto; } .tab { padding: 8px 9px; } .tabs .download { display: none; }
  .body pre { padding: 16px; } .note { padding: 8px 16px; }
  table.facts { margin: 8px 16px 20px; width: calc(100% - 32px); } table.facts th { width: 104px; }
}
`;
