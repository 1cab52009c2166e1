import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clockText, dayText, useZone } from '../ui/times';

export interface Series {
  readonly label: string;
  /** a token of the style sheet */
  readonly color: string;
  readonly values: readonly number[];
}

const HEIGHT = 220;
const DAY_S = 86_400;

/** Lines over time. The same figures are in a table below it, for screen readers and for everyone who wants to read them. */
export default function LineChart({
  times,
  series,
  label,
  format = (value) => value.toLocaleString('en'),
}: {
  times: readonly string[];
  series: readonly Series[];
  label: string;
  format?: (value: number) => string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const of = useZone();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const token = (name: string) =>
      getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    // a canvas knows no light-dark(): a probe resolves the colour
    const probe = document.createElement('i');
    element.append(probe);
    const colorOf = (name: string) => {
      probe.style.color = token(name);
      return getComputedStyle(probe).color;
    };
    const axis = {
      stroke: colorOf('ink-3'),
      grid: { stroke: colorOf('line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        ...(of === 'utc'
          ? { tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1_000), 'UTC') }
          : {}),
        axes: [
          {
            ...axis,
            values: (_chart, splits, _axis, _space, step) =>
              splits.map((at) =>
                (step >= DAY_S ? dayText : clockText)(new Date(at * 1_000), of).replace(' UTC', ''),
              ),
          },
          { ...axis, size: 56, values: (_chart, splits) => splits.map(format) },
        ],
        series: [
          {},
          ...series.map(({ label: name, color }) => ({
            label: name,
            stroke: colorOf(color),
            width: 1.75,
            points: { show: false },
          })),
        ],
      },
      [times.map((time) => Date.parse(time) / 1_000), ...series.map(({ values }) => [...values])],
      element,
    );
    probe.remove();
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [times, series, of, format]);
  return (
    <figure className="m-0" role="img" aria-label={label}>
      <figcaption className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2" aria-hidden="true">
        {series.map(({ label: name, color }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span className="h-0.5 w-4 rounded-full" style={{ background: `var(--${color})` }} />
            {name}
          </span>
        ))}
      </figcaption>
      <div ref={place} className="w-full overflow-hidden" style={{ height: HEIGHT }} />
    </figure>
  );
}
