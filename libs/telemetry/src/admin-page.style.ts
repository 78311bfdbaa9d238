/** The page's style: light and dark by the system's choice, one column on a telephone. Each phase has one colour everywhere. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #fff; --line: #dfe3e8; --text: #1b2430; --quiet: #657183; --accent: #2f5fd0; --bad: #c2302e; --good: #1a7f4b;
  --track: #eceff3; --row: #f2f5fb;
  --receive: #9aa5b1; --media: #0e9aa7; --render: #8059c9; --probe: #d18b13; --encode: #d1528f; --prefill: #2f6fd6; --decode: #2f9e62;
  --coordinator: #5c6878;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #11151b; --card: #1a2029; --line: #2c3541; --text: #e6eaf0; --quiet: #93a0b1; --accent: #8db1ff; --bad: #ff8a80; --good: #63d39a;
    --track: #242c37; --row: #212a36;
    --receive: #7d8996; --media: #35bfcb; --render: #a98af0; --probe: #e8ad45; --encode: #ea7fb2; --prefill: #6a9cf5; --decode: #56c48a;
    --coordinator: #8693a5;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1, h2, h3, p, ol, ul, dl, dd { margin: 0; padding: 0; }
ol, ul { list-style: none; }
[hidden] { display: none !important; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.quiet, .unit, .since { color: var(--quiet); }
.mono { font-family: ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace; font-size: 12px; }
header, #token, main { max-width: 1480px; margin: 0 auto; padding: 0 20px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; padding-top: 16px; padding-bottom: 12px; }
h1 { font-size: 17px; font-weight: 650; }
h2 { font-size: 12px; font-weight: 600; color: var(--quiet); }
nav { display: flex; gap: 14px; font-size: 13px; margin-left: auto; }
#live { display: inline-flex; align-items: center; gap: 6px; font-size: 13px; color: var(--quiet); }
#live::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--quiet); }
#live.up::before { background: var(--good); }
#live.down { color: var(--bad); }
#live.down::before { background: var(--bad); }
#token { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding-bottom: 12px; }
input, select, button { font: inherit; color: inherit; }
input[type=password], select, #token button {
  background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 3px 8px;
}
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px; padding-bottom: 40px; }
#tiles { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(auto-fit, minmax(168px, 1fr)); gap: 12px; }
.tile, #queues, #opened, #requests { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { position: relative; padding: 12px 14px; min-height: 124px; display: flex; flex-direction: column; overflow: hidden; }
.figure { font-size: 27px; font-weight: 620; line-height: 1.25; font-variant-numeric: tabular-nums; }
.unit, .since { font-size: 12px; }
.tile svg { width: 100%; height: 28px; margin: 4px 0 6px; border-bottom: 1px solid var(--line); }
.tile polyline { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
#errors polyline { stroke: var(--bad); }
#errors.some .figure { color: var(--bad); }
#readiness .figure { font-size: 20px; line-height: 1.7; }
#readiness ul { margin-top: 2px; font-size: 12px; }
#readiness li { overflow-wrap: anywhere; }
.dot::before { content: ""; display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 7px; background: var(--bad); }
.dot.up::before { background: var(--good); }
#queues { grid-column: 1 / -1; padding: 10px 14px; overflow-x: auto; }
#queues table { width: 100%; border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
#queues td, #queues th { padding: 3px 12px 3px 0; text-align: right; font-weight: 400; white-space: nowrap; }
#queues thead th { font-size: 12px; color: var(--quiet); }
#queues th[scope=row] { text-align: left; }
#controls { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; padding: 10px 14px; border-bottom: 1px solid var(--line); font-size: 13px; }
#controls label { display: inline-flex; align-items: center; gap: 6px; color: var(--quiet); }
#controls select { color: var(--text); padding: 1px 4px; }
.legend { display: flex; flex-wrap: wrap; gap: 3px 12px; font-size: 12px; color: var(--quiet); }
.key::before { content: ""; display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 5px; background: var(--of); }
#controls .legend { margin-left: auto; }
#empty { padding: 26px 14px; }
.row, .columns {
  display: grid; align-items: center; gap: 2px 12px; padding: 6px 14px; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums;
  grid-template: "time what how first total bars" auto / 62px minmax(120px, 1.1fr) 150px 74px 74px minmax(160px, 2fr);
}
.columns { padding: 4px 14px; font-size: 12px; color: var(--quiet); }
.columns .first, .columns .total { text-align: right; }
.row { width: 100%; text-align: left; background: none; cursor: pointer; border-width: 0 0 1px; border-style: solid; }
li:last-child .row { border-bottom: 0; border-radius: 0 0 10px 10px; }
.row:hover, .row[aria-expanded=true] { background: var(--row); }
.row:focus-visible { outline-offset: -2px; }
.row .time { grid-area: time; color: var(--quiet); font-size: 12px; }
.row .what { grid-area: what; overflow: hidden; }
.row .what span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row .how { grid-area: how; }
.row .first { grid-area: first; text-align: right; }
.row .total { grid-area: total; text-align: right; color: var(--quiet); }
.row .bars { grid-area: bars; }
.mark { display: inline-block; max-width: 100%; padding: 0 8px; border-radius: 9px; font-size: 12px; line-height: 18px; background: var(--track); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: middle; }
.mark.good { color: var(--good); }
.mark.bad { color: var(--bad); font-weight: 600; }
.mark.running { color: var(--accent); }
.bars { position: relative; display: block; height: 20px; border-radius: 4px; background: var(--track); overflow: hidden; }
.bar { position: absolute; background: var(--of); border-radius: 2px; min-width: 2px; }
.bar.waiting { opacity: .5; }
.bar.failed { background: repeating-linear-gradient(135deg, var(--bad) 0 4px, var(--of) 4px 8px); }
.bar.open { border-top-right-radius: 0; border-bottom-right-radius: 0; border-right: 2px dotted var(--text); }
.media { --of: var(--media); } .render { --of: var(--render); } .probe { --of: var(--probe); } .encode { --of: var(--encode); }
.prefill { --of: var(--prefill); } .decode { --of: var(--decode); } .receive { --of: var(--receive); } .coordinator { --of: var(--coordinator); }
.other { --of: var(--quiet); }
#opened { padding: 12px 14px 16px; }
#opened > .bar-of-title { display: flex; align-items: center; gap: 12px; margin-bottom: 8px; }
#opened h2 { color: var(--text); font-size: 13px; overflow-wrap: anywhere; flex: 1; }
#opened button { background: none; border: 1px solid var(--line); border-radius: 6px; padding: 1px 10px; cursor: pointer; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px 14px; margin-bottom: 14px; }
.facts .wide { grid-column: 1 / -1; }
.facts dt { font-size: 12px; color: var(--quiet); }
.facts dd { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.facts .bad { color: var(--bad); font-weight: 600; }
h3 { font-size: 12px; font-weight: 600; color: var(--quiet); margin: 12px 0 6px; }
.parts { display: flex; height: 14px; border-radius: 4px; overflow: hidden; background: var(--track); margin-bottom: 6px; gap: 1px; }
.parts span { background: var(--of); min-width: 1px; }
.line { display: grid; grid-template-columns: 166px minmax(0, 1fr) 62px; align-items: center; gap: 10px; font-size: 12px; line-height: 20px; font-variant-numeric: tabular-nums; }
.line .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.line.call .name { padding-left: 14px; color: var(--quiet); }
.line .lane { position: relative; height: 14px; background: linear-gradient(90deg, var(--line) 1px, transparent 1px) 0 0 / 25% 100%; }
.line .lane .bar { top: 2px; height: 10px; }
.line.step .lane .bar { top: 5px; height: 4px; background: var(--quiet); opacity: .55; }
.line .span { text-align: right; color: var(--quiet); }
.line .first-token { position: absolute; top: -3px; bottom: -3px; border-left: 2px dashed var(--text); }
.axis { color: var(--quiet); }
.axis .lane { display: flex; justify-content: space-between; background: none; }
.bad-text { color: var(--bad); }
@media (min-width: 1180px) {
  main.split { grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr); align-items: start; }
  main.split #opened { grid-column: 2; grid-row: 2; position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow: auto; }
  main.split #requests { grid-column: 1; grid-row: 2; }
  main.split .row { grid-template: "time what how first total" auto "bars bars bars bars bars" auto / 62px minmax(100px, 1fr) 150px 74px 74px; }
  main.split .row .bars { height: 14px; }
  main.split .columns { display: none; }
  main.split #controls .legend { margin-left: 0; }
}
@media (max-width: 760px) {
  header, #token, main { padding-left: 12px; padding-right: 12px; }
  nav { margin-left: 0; }
  #tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
  .tile { min-height: 104px; padding: 10px 12px; }
  .row { grid-template: "time how first" auto "what what total" auto "bars bars bars" auto / 62px minmax(0, 1fr) 76px; padding: 8px 12px; }
  .row .bars { height: 16px; }
  .columns { display: none; }
  #controls .legend { margin-left: 0; }
  .line { grid-template-columns: 124px minmax(0, 1fr) 54px; gap: 8px; }
}
`;
