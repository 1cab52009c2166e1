// What a person who knows nothing needs to read.

/** All commands, one line each. @param groups title → commands */
export function helpText(groups) {
  const commands = Object.values(groups).flatMap((group) => Object.entries(group));
  const width = Math.max(...commands.map(([name, { usage = '' }]) => `${name} ${usage}`.trim().length));
  const line = ([name, { usage = '', help }]) => `  ${`${name} ${usage}`.trim().padEnd(width)}  ${help}`;
  return [
    'npx postmesh <command> [--json]',
    '',
    ...Object.entries(groups).flatMap(([title, group]) => [title, ...Object.entries(group).map(line), '']),
    'npx postmesh <command> --help says more about one, its options among it.',
    '--json prints the answer itself instead of a table.',
    '',
    'Whom it asks: POSTMESH_OPERATOR_URL with POSTMESH_OPERATOR_TOKEN, else the installation whose',
    'credentials.json is in POSTMESH_DATA_DIR (./.data). What is done goes into the audit under the name of the token.',
  ].join('\n');
}

/** One command with its options. */
export function commandHelp(name, { usage = '', help, about, options = {}, examples = [] }) {
  const rows = Object.entries({ ...options, json: { help: 'print the answer itself' } }).map(
    ([option, { value = '', help: text, needed, multiple }]) => [
      `--${option} ${value}`.trim(),
      `${text}${needed ? ' (needed)' : ''}${multiple ? ' (may be repeated)' : ''}`,
    ],
  );
  const width = Math.max(...rows.map(([left]) => left.length));
  const head = ['usage: npx postmesh', name, usage, Object.keys(options).length > 0 ? '[options]' : ''];
  return [
    head.filter((word) => word !== '').join(' '),
    '',
    help,
    ...(about ? [about] : []),
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    ...(examples.length > 0 ? ['', ...examples.map((example) => `  npx postmesh ${example}`)] : []),
  ].join('\n');
}
