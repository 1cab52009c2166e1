// A process that begins one run, reports it on stdout, and never ends it: to be killed with -9.
// argv: the options of createJobs as JSON.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { createJobs, PeriodicModule, PeriodicTasks } from '../dist/index.js';

const logger = pino({ level: 'silent' });
const jobs = await createJobs({ ...JSON.parse(process.argv[2]), logger });
const periodic = PeriodicModule.of({ service: 'tests', jobs, logger });
const service = await NestFactory.createApplicationContext(periodic, { logger: false });
await service.get(PeriodicTasks).add({ name: 'hourly', everyMs: 3_600_000, timeoutMs: 60_000 }, () => {
  console.log('begun');
  return new Promise(() => {});
});
