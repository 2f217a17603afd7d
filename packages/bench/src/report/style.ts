/** Light, dark: one colour for each strategy, the same in all charts. */
const COLOURS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  state: ['#0b62c4', '#5cabff'],
  'state-paper': ['#0e7a8a', '#55cfe0'],
  prompt: ['#cc3d4f', '#ff7d8b'],
  memory: ['#a86400', '#f2b441'],
  stateful: ['#5d6673', '#a9b4c2'],
  'stateful-history-first': ['#6f4fc0', '#b8a0ff'],
  'stateful-idiomatic': ['#1a7f4b', '#5ad18f'],
  truncated: ['#8a4b2a', '#d99d74'],
  'summary-capped': ['#b8860b', '#e5cf54'],
  llmlingua: ['#b5278c', '#f581cf'],
};

const colours = (index: 0 | 1): string =>
  Object.entries(COLOURS)
    .map(([name, pair]) => `--c-${name}:${pair[index]};`)
    .join('');

const classes = Object.keys(COLOURS)
  .map((name) => `.c-${name}{--colour:var(--c-${name})}`)
  .join('');

const LIGHT = `--page:#fbfbfa;--card:#fff;--ink:#1c1f24;--soft:#5b626d;--line:#e3e5e8;--paper:#f3f0e8;--strong:#eaf2fc;--link:#0b62c4;${colours(0)}`;
const DARK = `--page:#14161a;--card:#1b1e24;--ink:#e8eaee;--soft:#9aa3af;--line:#30353d;--paper:#26241d;--strong:#1b2a3d;--link:#5cabff;${colours(1)}`;

export const STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1280px;margin:0 auto;padding:32px 24px 80px}
h1{font-size:2rem;line-height:1.2;margin:0 0 .8rem;letter-spacing:-.015em}
h2{font-size:1.35rem;line-height:1.3;margin:3.2rem 0 .8rem;padding-top:1.2rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:1.05rem;margin:2rem 0 .5rem}
h4{font-size:.95rem;margin:0 0 .3rem}
p,li{max-width:80ch;overflow-wrap:anywhere}
ul{padding-left:1.2rem}
figure{margin:1rem 0 1.6rem}
figcaption{color:var(--soft);font-size:.82rem;line-height:1.45;margin-top:.5rem;max-width:100ch;overflow-wrap:anywhere}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:10px;background:var(--card)}
table{border-collapse:collapse;width:100%;font-size:.82rem;font-variant-numeric:tabular-nums}
th,td{padding:.36rem .5rem;text-align:right;white-space:nowrap}
th{font-weight:600;color:var(--soft);border-bottom:1px solid var(--line);vertical-align:bottom;white-space:normal;min-width:4.6rem}
th.name,td.name{text-align:left}
th.paper,td.paper{background:var(--paper)}
td.paper{color:var(--soft)}
tr.first td{border-top:1px solid var(--line)}
tr.strong td{background:var(--strong)}
tr.strong td:nth-child(2){font-weight:650}
tr.strong td.paper{background:color-mix(in srgb,var(--paper) 55%,var(--strong))}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,460px),1fr));gap:18px;margin:1.2rem 0}
.chart{margin:0;padding:16px 16px 12px;border:1px solid var(--line);border-radius:10px;background:var(--card);min-width:0}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem .9rem;padding:0;margin:0 0 .4rem;font-size:.8rem;color:var(--soft)}
.legend li::before{content:"";display:inline-block;width:16px;height:0;border-top:3px solid var(--colour,var(--soft));margin-right:.4rem;vertical-align:middle;border-radius:2px}
.legend li.dashed::before{border-top-style:dashed}
svg{display:block;width:100%;height:auto}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--soft)}
.grid{stroke:var(--line)}
.line{fill:none;stroke:var(--colour,var(--soft));stroke-width:2;stroke-linejoin:round}
.line.dashed{stroke-dasharray:6 4}
.c-state .line{stroke-width:3}
.dot{fill:var(--colour,var(--soft));stroke:var(--card);stroke-width:1.5}
.spread{stroke:var(--colour,var(--soft));stroke-width:1.5;opacity:.55}
.mark line{stroke:var(--ink);stroke-dasharray:3 3;opacity:.55}
.mark circle{fill:none;stroke:var(--ink);stroke-width:1.5}
svg .mark text{fill:var(--ink);paint-order:stroke;stroke:var(--card);stroke-width:4px;stroke-linejoin:round}
details{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1.2rem}
summary{cursor:pointer;font-weight:600;font-size:1.1rem}
@media print{body{background:#fff}.chart,.scroll{break-inside:avoid}}
${classes}
`;
