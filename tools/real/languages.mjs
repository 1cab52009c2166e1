#!/usr/bin/env node
// Languages and programs in which the documentation has samples (`run later`): from the PATH, or Debian's packages when root may
// install them. Go and Python are parts of their own.
// node tools/real/languages.mjs     prints LANGUAGES=<folders>
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findProgram, install } from './debian-program.mjs';

const PROGRAMS = [
  { name: 'php', debianPackage: 'php-cli' },
  { name: 'ruby', debianPackage: 'ruby' },
  { name: 'javac', debianPackage: 'default-jdk-headless' },
  { name: 'msmtp', debianPackage: 'msmtp' },
];
/** Libraries of the samples, and what finds them. */
const LIBRARIES = [
  { debianPackage: 'php-symfony-mailer', found: ['php', '-r', `require '${symfony()}';`] },
  { debianPackage: 'ruby-actionmailer', found: ['ruby', '-e', "require 'action_mailer'"] },
];

/** @returns {string} what loads Symfony's mailer, as `vendor/autoload.php` does where Composer has installed it */
export function symfony() {
  return '/usr/share/php/Symfony/Component/Mailer/autoload.php';
}

/**
 * Where they are; nothing is started.
 * @returns {Promise<{env: {LANGUAGES: string}, stop: () => Promise<void>}>} folders for the PATH
 */
export async function findLanguages() {
  const folders = PROGRAMS.map((program) => dirname(findProgram(program)));
  for (const {
    debianPackage,
    found: [program = '', ...args],
  } of LIBRARIES)
    if (spawnSync(program, args).status !== 0) install(debianPackage, debianPackage);
  return { env: { LANGUAGES: [...new Set(folders)].join(delimiter) }, stop: async () => {} };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`LANGUAGES=${(await findLanguages()).env.LANGUAGES}`);
}
