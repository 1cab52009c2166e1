// @ts-check
// A process of its own: composes the same messages with public libraries, MiniJinja for the template and nodemailer for
// message and signature. It stores nothing, sends nothing and has one core.
import { generateKeyPairSync } from 'node:crypto';
import { Environment } from 'minijinja-js';
import nodemailer from 'nodemailer';
import { round } from './figures.rules.mjs';
import { serveJobs } from './workers.mjs';

const AT_ONCE = 16;

serveJobs({ compose });

/** @param input `parts`: sources of subject, text and html; `values` of each recipient; `count` of messages */
async function compose({ parts, values, count, from }) {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const dkim = { domainName: 'bench.test', keySelector: 'bench', privateKey };
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, dkim });
  const environment = new Environment();
  for (const [name, source] of Object.entries(parts)) environment.addTemplate(name, source);
  const one = async (number) => {
    const rendered = Object.fromEntries(
      Object.keys(parts).map((name) => [name, environment.renderTemplate(name, values)]),
    );
    await transport.sendMail({ from, to: `u${number}@r00.test`, ...rendered });
  };
  for (let number = 0; number < count / 10; number += 1) await one(number);
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
  let next = 0;
  const work = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    messages_per_second: round((count / (performance.now() - began)) * 1000),
    cpu_seconds_per_1000: { process: round((user + system) / 1e3 / count, 3) },
  };
}
