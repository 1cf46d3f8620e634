#include "report/html_parts.hpp"

namespace zonecut::report {

// Colours of groups are those of Okabe and Ito, told apart with any colour vision, then a lighter
// round of the same; letters carry the same meaning, with a rim in their group's colour to stand
// clear of the gaps between cells. Heat has six steps so that text on each keeps
// a contrast of 4.5 in both schemes.
std::string_view style_sheet() {
  return R"css(
:root{--ink:#17202b;--soft:#566373;--line:#d9dfe6;--page:#fff;--card:#fbfcfd;--bar:#0b69a8;
--track:#e9edf1;--other:#c3cad2;--edge:#a3adb8;--mark:#17202b;--accent:#b5371f;
--h1:#fdeee7;--h2:#f9d5c4;--h3:#f1b095;--h4:#e58b6d;--h5:#ab3420;--h6:#7b1a12;
--hi1:#17202b;--hi2:#17202b;--hi3:#17202b;--hi4:#17202b;--hi5:#fff;--hi6:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#9daab8;--line:#333d48;--page:#11161c;
--card:#171d24;--bar:#4ba3dd;--track:#252d36;--other:#4d5965;--edge:#6d7a88;--mark:#f2f5f8;
--accent:#ff9478;--h1:#33211e;--h2:#4c2720;--h3:#6b2d22;--h4:#8a3526;--h5:#a93e2b;--h6:#c4472f;
--hi1:#e6ebf1;--hi2:#e6ebf1;--hi3:#fff;--hi4:#fff;--hi5:#fff;--hi6:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1400px;margin:0 auto;padding:24px clamp(12px,2vw,28px) 40px}
h1{font-size:24px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h1 .shape{font-weight:400;color:var(--soft)}
h2{font-size:16px;margin:0 0 2px}
h3{font-size:14px;margin:0}
p{margin:0}
.sub,.hint{color:var(--soft);font-size:12.5px}
.hint{margin:0 0 10px}
.verdict{font-size:17px;margin:14px 0 16px;max-width:75em;text-wrap:pretty}
section{margin:30px 0 0;min-width:0}
.pair{display:grid;gap:0 40px;grid-template-columns:minmax(0,1fr)}
@media (min-width:1000px){.pair{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
.tiles{display:grid;gap:10px;grid-template-columns:repeat(auto-fit,minmax(min(100%,165px),1fr));
margin:0}
.tile{border:1px solid var(--line);border-radius:8px;padding:10px 14px;background:var(--card)}
.tile dt{color:var(--soft);font-size:12.5px}
.tile dd{margin:0}
.tile .value{font-size:20px;font-weight:650;line-height:1.3;overflow-wrap:anywhere}
.tile .note{color:var(--soft);font-size:12.5px}
.zones{display:grid;gap:12px;margin:0}
.zone{border:1px solid var(--line);border-radius:8px;padding:8px 12px 10px;background:var(--card);
min-width:0;break-inside:avoid}
.zone header{display:flex;flex-wrap:wrap;gap:0 12px;align-items:baseline;
justify-content:space-between;margin-bottom:6px}
.zone header span{color:var(--soft);font-size:12.5px}
.zone svg.cells{display:block;width:100%;height:auto}
details{margin-top:12px}summary{color:var(--soft);font-size:12.5px;margin-bottom:8px;cursor:pointer}
.racks{display:flex;flex-wrap:wrap;gap:8px}
.rack{border:1px solid var(--line);border-radius:6px;padding:5px 8px 6px;background:var(--page)}
.rack b{display:block;font-size:12px;font-weight:600;margin-bottom:2px}
.server{display:grid;grid-template-columns:minmax(2em,auto) auto;gap:8px;align-items:center;
justify-content:space-between;line-height:1}
.server span{font-size:11.5px;color:var(--soft);max-width:11em;overflow:hidden;
text-overflow:ellipsis;white-space:nowrap}
.server svg{display:block;margin:1.5px 0}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;padding:0;margin:10px 0 0;
font-size:12.5px}
.legend li{display:flex;gap:6px;align-items:center}
.g0{fill:#0b6aa8}.on0{stroke:#0b6aa8}.g1{fill:#e69f00}.on1{stroke:#e69f00}
.g2{fill:#0a9a73}.on2{stroke:#0a9a73}.g3{fill:#d384ae}.on3{stroke:#d384ae}
.g4{fill:#56b4e9}.on4{stroke:#56b4e9}.g5{fill:#d55e00}.on5{stroke:#d55e00}
.g6{fill:#e9de3e}.on6{stroke:#e9de3e}.g7{fill:#7657b0}.on7{stroke:#7657b0}
.g8{fill:#8fbadb}.on8{stroke:#8fbadb}.g9{fill:#f5d48a}.on9{stroke:#f5d48a}
.g10{fill:#8fd3bf}.on10{stroke:#8fd3bf}.g11{fill:#ecc9db}.on11{stroke:#ecc9db}
.g12{fill:#b9e0f7}.on12{stroke:#b9e0f7}.g13{fill:#f0b58c}.on13{stroke:#f0b58c}
.g14{fill:#f6f1ae}.on14{stroke:#f6f1ae}.g15{fill:#c1b2de}.on15{stroke:#c1b2de}
.on{fill:#10151b;font-weight:700;text-anchor:middle;paint-order:stroke;stroke-width:3px;
stroke-linejoin:round}
.on0,.on7{fill:#fff}
.others{fill:var(--other)}
.free{fill:url(#free)}.partly{fill:url(#partly)}.unavailable{fill:url(#unavailable)}
.sq-free{fill:none;stroke:var(--edge)}.sq-out{fill:none;stroke:var(--soft)}
.gap{fill:url(#gap)}.hit{fill:transparent}
table{border-collapse:collapse;font-size:13px;min-width:min(100%,880px)}
.pair table{width:100%;min-width:0}
.scroll{overflow-x:auto}
th{font-weight:600;text-align:left;color:var(--soft);font-size:12.5px;vertical-align:bottom}
th,td{padding:4px 20px 4px 0}.pair th,.pair td{padding-right:10px}
tbody tr{border-top:1px solid var(--line)}
tbody th{color:var(--ink);font-size:13px;vertical-align:baseline}
td{vertical-align:baseline}
th .name{display:inline-block;width:max-content;max-width:22em;overflow-wrap:anywhere}
.pair th .name{width:auto}
.n+th:not(.n),.n+td:not(.n){padding-left:12px}
.n{text-align:right}td.n{white-space:nowrap}
tr.ours th,tr.ours td{font-weight:650}
tr.ours{background:var(--card)}
td small,th small{display:block;color:var(--soft);font-weight:400;font-size:12px}
.matrices{display:flex;flex-wrap:wrap;gap:18px 30px}
.pair .matrix,.matrix{width:auto;min-width:0;border-collapse:separate;border-spacing:2px}
.matrix caption{text-align:left;font-weight:600;padding-bottom:2px}
.matrix tbody tr{border:0}
.matrix th,.matrix td,.pair .matrix th,.pair .matrix td{padding:4px 5px;text-align:right;font-size:12.5px;white-space:nowrap}
.matrix tbody th{text-align:left;font-size:12.5px;color:var(--soft)}
.matrix th,.pair .matrix th{white-space:normal;overflow-wrap:break-word;max-width:10em}
.matrix td{border-radius:4px;min-width:3.2em}
.matrix.dense td,.pair .matrix.dense td{min-width:0;padding:0;width:12px;height:12px}
.matrix.dense th,.pair .matrix.dense th{padding:0 4px;font-size:11px}
.matrix .own{color:var(--soft)}
.matrix .sum{color:var(--soft);border-radius:0}
.heat0{border:1px solid var(--line)}
.heat1{background:var(--h1);color:var(--hi1)}.heat2{background:var(--h2);color:var(--hi2)}
.heat3{background:var(--h3);color:var(--hi3)}.heat4{background:var(--h4);color:var(--hi4)}
.heat5{background:var(--h5);color:var(--hi5)}.heat6{background:var(--h6);color:var(--hi6)}
.scale{display:flex;flex-wrap:wrap;gap:3px;font-size:12px;margin:10px 0 0;align-items:center;
color:var(--soft)}
.scale span{padding:2px 8px;border-radius:4px}
.rows{display:grid;grid-template-columns:minmax(0,auto) minmax(120px,1fr) auto;gap:7px 14px;
align-items:center;font-size:13px}
.rows .label small,.rows .figure small{display:block;color:var(--soft);font-size:12px}
.rows .label{overflow-wrap:anywhere}
.rows .figure{text-align:right;white-space:nowrap}
.rows svg{display:block;width:100%;overflow:visible}
@media (max-width:620px){.rows{grid-template-columns:minmax(0,1fr) auto;gap:2px 10px}
.rows .label{grid-column:1/-1;margin-top:7px}
tbody th{min-width:11em}.matrix tbody th{min-width:0}
.scroll table:not(.matrix){min-width:640px}.tile .value{font-size:17px}
.server svg{width:108px;height:auto}.racks{gap:6px}.rack{padding:4px 6px}}
.rule{stroke:var(--line)}.span{stroke:var(--edge);stroke-width:3}
.dot{fill:var(--bar)}.ring{fill:var(--page);stroke:var(--mark);stroke-width:2}
.track{fill:var(--track)}.bar{fill:var(--bar)}.binds{fill:var(--accent)}
.tick{stroke:var(--mark);stroke-width:2.5}
.axis{fill:var(--soft);font-size:11.5px}
.key{color:var(--soft);font-size:12.5px;margin:8px 0 0}
ol.why{margin:6px 0 0;padding-left:1.5em}
ol.why li{margin:0 0 5px}
.provenance{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:3px 16px;margin:6px 0 0;
font-size:12.5px}
.provenance dt{color:var(--soft)}
.provenance dd{margin:0;overflow-wrap:anywhere;font-family:ui-monospace,"DejaVu Sans Mono",monospace;
font-size:12px}
@media print{@page{margin:12mm}
:root{--ink:#000;--soft:#444;--line:#ccc;--page:#fff;--card:#fff;--bar:#0b69a8;--track:#e9edf1;
--other:#c3cad2;--edge:#8a949f;--mark:#000;--accent:#b5371f;
--h1:#fdeee7;--h2:#f9d5c4;--h3:#f1b095;--h4:#e58b6d;--h5:#ab3420;--h6:#7b1a12;
--hi1:#000;--hi2:#000;--hi3:#000;--hi4:#000;--hi5:#fff;--hi6:#fff}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{font-size:10.5px}main{max-width:none;padding:0}h1{font-size:19px}h2{font-size:13px}
.verdict{font-size:13px;margin:8px 0 10px}section{margin-top:16px}.tile{padding:6px 8px}
.tiles{grid-template-columns:repeat(5,minmax(0,1fr))}.tile .value{font-size:13px}
.zones{grid-template-columns:1fr 1fr!important;gap:8px}.zone{padding:5px 8px 6px}
.hint,.sub,.key,.legend,.zone header span,.tile dt,.tile .note,table,.rows,tbody th,th,td small,
th small,.rows .label small,.rows .figure small{font-size:9.5px}
.matrix th,.matrix td,.pair .matrix th,.pair .matrix td{font-size:9px;padding:2px 4px}
section,.tile,tr{break-inside:avoid}section.long{break-inside:auto}
h2,.hint{break-after:avoid}.scroll{overflow:visible}}
)css";
}

}  // namespace zonecut::report
