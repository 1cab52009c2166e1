// Load generator and sink are processes of their own, so that their work is not taken for the system's.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { adopt } from './children.mjs';

/** The bench's side: starts a script of this folder and gives it jobs. */
export class Worker {
  /** @param {(news: object) => void} onNews messages that answer no job */
  constructor(script, onNews = () => {}) {
    this.child = adopt(fork(join(import.meta.dirname, script), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
    this.script = script;
    this.waiting = new Map();
    this.child.on('message', (message) => {
      const waiting = this.waiting.get(message.job);
      if (!waiting) return onNews(message);
      this.waiting.delete(message.job);
      clearTimeout(waiting.timer);
      if ('failure' in message) waiting.reject(new Error(`${script}: ${message.failure}`));
      else waiting.resolve(message.result);
    });
    void this.child.ended.then(() => this.failAll(`${script} ended: ${this.child.output()}`));
  }

  get pid() {
    return this.child.pid;
  }

  /** @throws Error when the job fails, the child ends or the time is over */
  ask(job, input = {}, limitMs = 10_000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(job);
        reject(new Error(`${this.script}: '${job}' took more than ${limitMs / 1000} s`));
      }, limitMs);
      this.waiting.set(job, { resolve, reject, timer });
      this.child.send({ job, input });
    });
  }

  async stop() {
    this.child.kill('SIGKILL');
    await this.child.ended;
  }

  failAll(reason) {
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
    this.waiting.clear();
  }
}
