// @ts-check
// Progress of a long command: one line that is overwritten, with rate and time left.

const FORMAT = '{bar} {percentage}% | {value} of {total} {unit} | {rate}/s | {eta_formatted} left';

/**
 * @param {{ isTTY?: boolean }} stream a terminal; to anything else nothing is written
 * @returns {{ show: import('./requests.mjs').ShowProgress, end: () => void }}
 */
export function progressOn(stream) {
  /** @type {import('cli-progress').SingleBar | undefined} */
  let bar;
  let began = { at: 0, done: 0 };
  return {
    async show({ done, total, unit }) {
      // the total of an upload is not known yet
      if (!stream.isTTY || !total) return;
      if (!bar) {
        bar = await newBar(stream);
        began = { at: performance.now(), done };
        bar.start(total, done, { unit, rate: 0 });
      }
      const seconds = (performance.now() - began.at) / 1_000;
      const rate = seconds === 0 ? 0 : Math.round((done - began.done) / seconds);
      bar.setTotal(total);
      bar.update(done, { unit, rate });
    },
    end: () => bar?.stop(),
  };
}

// Loaded only by long commands.
async function newBar(stream) {
  const { default: progress } = await import('cli-progress');
  const options = { format: FORMAT, stream, hideCursor: true, clearOnComplete: true, etaBuffer: 30 };
  return new progress.SingleBar(options, progress.Presets.shades_classic);
}
