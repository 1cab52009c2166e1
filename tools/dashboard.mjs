// @ts-check
// The Grafana board as JSON, made from deploy/observability/board.mjs. Grafana 10 and newer can load it.
import { BOARD } from '../deploy/observability/board.mjs';

const WIDTH = 24;
const HEIGHT = 8;
const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** @returns {string} */
export function dashboard() {
  const panels = [];
  let y = 0;
  for (const row of BOARD) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
    });
    y += 1;
    const inRow = row.panels.length <= 4 ? row.panels.length : 3;
    const w = WIDTH / inRow;
    row.panels.forEach((panel, nth) => {
      const gridPos = { x: (nth % inRow) * w, y: y + Math.floor(nth / inRow) * HEIGHT, w, h: HEIGHT };
      panels.push(graph(panel, { id: panels.length + 1, gridPos }));
    });
    y += Math.ceil(row.panels.length / inRow) * HEIGHT;
  }
  return `${JSON.stringify({ ...ABOUT, panels }, null, 2)}\n`;
}

const ABOUT = {
  uid: 'postmesh',
  title: 'Postmesh',
  tags: ['postmesh'],
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  templating: {
    list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', hide: 0 }],
  },
};

/** @param {import('../deploy/observability/board.mjs').Panel} panel @param {object} place */
const graph = ({ title, unit, lines }, place) => ({
  ...place,
  type: 'timeseries',
  title,
  datasource: DATA_SOURCE,
  fieldConfig: {
    defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } },
    overrides: [],
  },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  targets: lines.map(([legendFormat, expr], nth) => ({
    refId: String.fromCharCode(65 + nth),
    datasource: DATA_SOURCE,
    legendFormat,
    expr,
  })),
});
