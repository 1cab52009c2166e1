// @ts-check
// Turns the output of `perf script` into shares of a process's CPU time: by the module of the JavaScript frame nearest
// to the sample, and by its function. Without I/O.

/**
 * @typedef {{ samples: number, modules: [string, number][], functions: [string, number][] }} Profile the largest shares
 *   first, 1 is all
 */

const KEPT = 40;
const COLLECTS = /Heap::CollectGarbage|Scaveng|MarkCompact|ConcurrentMarking|Sweeper/;
const COMPILES = /Compiler::Compile|Turbofan|OptimizingCompile|BaselineBatchCompiler|maglev/i;
// `JS:*name file:///folder/x.js:12:3`; the sign before the name is the compiler tier
const JAVASCRIPT =
  /^(?:JS|LazyCompile|Function|Script|Eval):[~*^+]*(\S*) (?:file:\/\/)?(node:[^:]+|\/[^:]*):(\d+)/;
const FRAME = /^\s+[0-9a-f]+ (.*) \(([^()]*)\)$/;

/** Takes the lines one by one: each sample has a head, its frames from the innermost on, and an empty line. */
export class ProfileCount {
  samples = 0;
  /** @type {Map<string, number>} */
  modules = new Map();
  /** @type {Map<string, number>} */
  functions = new Map();
  /** @type {string[]} */
  frames = [];

  /** @param {string} text */
  line(text) {
    const frame = FRAME.exec(text);
    if (frame) this.frames.push(frame[1] ?? '');
    else if (text.trim() === '') this.close();
  }

  /** @returns {Profile} */
  end() {
    this.close();
    const largest = (/** @type {Map<string, number>} */ counts) =>
      [...counts]
        .sort(([, one], [, other]) => other - one)
        .slice(0, KEPT)
        .map(([name, count]) => /** @type {[string, number]} */ ([name, count / this.samples]));
    return { samples: this.samples, modules: largest(this.modules), functions: largest(this.functions) };
  }

  close() {
    if (this.frames.length === 0) return;
    this.samples += 1;
    const { module, name } = whose(this.frames);
    add(this.modules, module);
    if (name !== undefined) add(this.functions, name);
    this.frames = [];
  }
}

/** @param {readonly string[]} frames */
function whose(frames) {
  if (frames.some((frame) => COLLECTS.test(frame))) return { module: '(garbage collection)' };
  if (frames.some((frame) => COMPILES.test(frame))) return { module: '(compilation)' };
  for (const frame of frames) {
    const [, name, path, line] = JAVASCRIPT.exec(frame) ?? [];
    if (path === undefined) continue;
    const module = moduleOf(path);
    return {
      module,
      name: `${name === '' ? '(anonymous)' : name} ${module} ${path.split('/').at(-1)}:${line}`,
    };
  }
  return { module: `(no JavaScript) ${frames.at(0)}` };
}

/** A package, or a folder of ours: `pg`, `services/messages/accept`. @param {string} path */
function moduleOf(path) {
  if (path.startsWith('node:')) return path;
  const [scope, name] = (path.split('/node_modules/')[1] ?? '').split('/');
  if (scope) return scope.startsWith('@') ? `${scope}/${name}` : scope;
  const ours = /\/((?:libs|services)\/[^/]+)\/dist\/(?:([^/]+)\/)?/.exec(path);
  return ours ? [ours[1], ours[2]].filter((part) => part !== undefined).join('/') : path;
}

/** @param {Map<string, number>} counts @param {string} name */
const add = (counts, name) => void counts.set(name, (counts.get(name) ?? 0) + 1);
