import { AIRMAIL, COLOURS, colourStyle, FONT } from '@postmesh/public-links';

/** The style of the web mailbox: the look of the console, light or dark according to the reader's system. */
export const PAGE_STYLE = `
${colourStyle(Object.keys(COLOURS) as (keyof typeof COLOURS)[])}
:root { font: 14px/1.55 ${FONT}; font-variant-numeric: tabular-nums; }
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--canvas); color: var(--ink); }
[hidden] { display: none !important; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }

body::before { content: ""; height: 3px; flex: none; background: ${AIRMAIL}; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 10px 16px; background: var(--sunken); border-bottom: 1px solid var(--line); }
.bar h1 { font-size: 15px; font-weight: 600; margin: 0; white-space: nowrap; letter-spacing: -.01em; }
.logo { width: 24px; height: 24px; }
.field { min-width: 0; min-height: 32px; padding: 4px 10px; border: 1px solid var(--edge); border-radius: 6px; background: var(--surface); }
::placeholder { color: var(--ink-3); opacity: 1; }
#search { flex: 1; max-width: 420px; margin-left: 12px; }
.filters { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px; padding: 8px 16px; background: var(--sunken); border-bottom: 1px solid var(--line); }
.filters label { font-size: 12px; color: var(--ink-3); } .filters .field { display: block; width: 100%; font-size: 14px; color: var(--ink); }
.state { margin-left: auto; color: var(--ink-3); font-size: 13px; white-space: nowrap; }
.state.lost { color: var(--bad); }
.quiet { min-height: 32px; border: 1px solid var(--edge); background: var(--surface); border-radius: 6px; padding: 4px 12px; font-weight: 500; font-size: 13px; }
.quiet:hover { background: var(--sunken); }
.more { display: block; margin: 12px auto 24px; }

.panes { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(300px, 390px) 1fr; }
.list { overflow-y: auto; border-right: 1px solid var(--line); background: var(--surface); }
.list ol { list-style: none; margin: 0; padding: 0; }
.row { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 12px; width: 100%; padding: 11px 16px; text-align: left; border: 0; border-bottom: 1px solid var(--line); background: none; content-visibility: auto; contain-intrinsic-size: auto 84px; }
.row:hover { background: var(--sunken); }
.row[aria-current="true"] { background: var(--accent-soft); box-shadow: inset 3px 0 var(--accent); }
.row.new { animation: arrive 1.2s ease-out; }
@keyframes arrive { from { background: var(--accent-soft); } }
@media (prefers-reduced-motion: reduce) { .row.new { animation: none; } }
.who { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.when { color: var(--ink-3); font-size: 12px; white-space: nowrap; padding-top: 2px; }
.what { grid-column: 1 / 3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.to { color: var(--ink-3); font-size: 12.5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.dots { display: flex; gap: 4px; align-items: center; justify-content: flex-end; }
.dot { width: 8px; height: 8px; border-radius: 50%; background: var(--ink-2); }
.dot.good { background: var(--good); } .dot.bad { background: var(--bad); } .dot.warn { background: var(--warn); }
.empty { color: var(--ink-3); text-align: center; padding: 56px 24px; margin: 0; white-space: pre-line; }

.message { display: flex; flex-direction: column; min-width: 0; min-height: 0; background: var(--surface); outline: none; }
.nothing { margin: auto; color: var(--ink-3); text-align: center; padding: 24px; max-width: 360px; }
.head { padding: 20px 28px 0; }
.head h2 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; font-weight: 600; letter-spacing: -.015em; overflow-wrap: anywhere; }
.people { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0 0 12px; }
.people dt { color: var(--ink-3); } .people dd { margin: 0; overflow-wrap: anywhere; }
.badges { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 14px; }
.badge { border-radius: 6px; padding: 2px 9px; font-size: 12.5px; font-weight: 550; background: var(--sunken); color: var(--ink-2); }
.badge b { font-weight: 700; }
.badge.good { background: var(--good-soft); color: var(--good); } .badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.files { display: flex; flex-wrap: wrap; gap: 8px; margin-bottom: 14px; }
.file { display: inline-flex; gap: 8px; align-items: baseline; border: 1px solid var(--line); border-radius: 6px; padding: 5px 11px; color: inherit; text-decoration: none; max-width: 320px; }
.file:hover { background: var(--sunken); } .file span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.file .size { color: var(--ink-3); font-size: 12px; white-space: nowrap; }
.tabs { display: flex; gap: 4px; align-items: center; border-bottom: 1px solid var(--line); }
.tab { border: 0; background: none; padding: 8px 12px; color: var(--ink-3); border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tab:hover { color: var(--ink); } .tab[aria-selected="true"] { color: var(--ink); border-color: var(--ink); font-weight: 600; }
.tabs .download { margin-left: auto; } .tabs .download, .timeline { color: var(--accent); font-size: 13px; text-decoration: none; padding: 4px 0; } .tabs .download:hover, .timeline:hover { text-decoration: underline; }
.body { flex: 1; min-height: 0; overflow: auto; display: flex; flex-direction: column; }
.body iframe { flex: 1; width: 100%; border: 0; background: #fff; min-height: 200px; }
.body pre { margin: 0; padding: 20px 28px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.body pre.prose { font: inherit; font-size: 14.5px; line-height: 1.65; }
.note { display: flex; gap: 12px; align-items: center; padding: 8px 28px; background: var(--warn-soft); color: var(--warn); font-size: 13px; }
.note button { border: 1px solid currentColor; border-radius: 6px; background: none; padding: 2px 10px; }
table.facts { border-collapse: collapse; margin: 14px 28px 28px; table-layout: fixed; width: calc(100% - 56px); }
table.facts th { width: 190px; text-align: left; font-weight: 550; color: var(--ink-3); } table.facts th, table.facts td { vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; font-size: 13px; }
.back { display: none; }
@media (max-width: 760px) {
  .panes { grid-template-columns: 1fr; } .list { border-right: 0; }
  .panes.reading .list, .panes:not(.reading) .message { display: none; }
  .bar h1, #clear, .state { display: none; } #search { margin-left: 0; max-width: none; } .filters { grid-template-columns: minmax(0, 1fr); }
  .filters label { display: flex; gap: 8px; align-items: center; } .filters .field { flex: 1; } .head { padding: 14px 16px 0; }
  .back { display: inline-block; margin-bottom: 10px; }
  .tabs { overflow-x: auto; } .tab { padding: 8px 9px; } .tabs .download { display: none; }
  .body pre { padding: 16px; } .note { padding: 8px 16px; }
  table.facts { margin: 8px 16px 20px; width: calc(100% - 32px); } table.facts th { width: 104px; }
}
`;
