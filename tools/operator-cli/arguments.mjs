// The words behind a command, read by what the command says of itself.
import { parseArgs } from 'node:util';
import { commandHelp } from './help.mjs';
import { OperatorTrouble } from './trouble.mjs';

/**
 * @returns {{words: string[], options: Record<string, string | string[]>}}
 * @throws OperatorTrouble with the help of the command
 */
export function readArguments(name, command, given) {
  const { options = {}, least = 0, most = Number.POSITIVE_INFINITY } = command;
  const parsed = parse(name, command, given);
  const missing = Object.keys(options).filter(
    (option) => options[option].needed && parsed.values[option] === undefined,
  );
  if (missing.length > 0) throw trouble(name, command, `--${missing[0]} is needed`);
  const words = parsed.positionals;
  if (words.length < least) throw trouble(name, command, 'something is missing');
  if (words.length > most) throw trouble(name, command, `'${words[most]}' is too much`);
  return { words, options: parsed.values };
}

function parse(name, command, given) {
  const options = Object.fromEntries(
    Object.entries(command.options ?? {}).map(([option, { multiple = false }]) => [
      option,
      { type: 'string', multiple },
    ]),
  );
  try {
    return parseArgs({ args: given, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw trouble(name, command, error.message.split('. ')[0]);
  }
}

const trouble = (name, command, what) => new OperatorTrouble(`${what}\n\n${commandHelp(name, command)}`);
