// Allowed changes inside one version of an event: optional fields may be added, nothing else. Events of the version may
// still be on a bus, and services of another release may read them.

/** Keywords for people only: they do not change what is valid. */
const WORDS = new Set(['description', 'title', 'examples', '$comment']);

/**
 * @param {object} before JSON Schema of the version as others know it
 * @param {object} after JSON Schema of the same version now
 * @returns {string[]} one line per change that asks for a new version
 */
export function incompatibilities(before, after, path = 'data') {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)].filter((key) => !WORDS.has(key)));
  return [...keywords].flatMap((keyword) => {
    if (keyword === 'properties') return changedFields(before, after, path);
    if (keyword === 'required') return changedNeeds(before, after, path);
    return changedValue(before[keyword], after[keyword], `${path} (${keyword})`, path);
  });
}

function changedFields(before, after, path) {
  const now = after.properties ?? {};
  return Object.entries(before.properties ?? {}).flatMap(([name, schema]) =>
    now[name] === undefined
      ? [`${path}.${name} was removed`]
      : incompatibilities(schema, now[name], `${path}.${name}`),
  );
}

function changedNeeds(before, after, path) {
  const [needed, needs] = [new Set(before.required ?? []), new Set(after.required ?? [])];
  const existed = new Set(Object.keys(before.properties ?? {}));
  return [
    ...[...needs]
      .filter((name) => !needed.has(name))
      .map((name) =>
        existed.has(name)
          ? `${path}.${name} was optional and is required now`
          : `${path}.${name} is new and required`,
      ),
    ...[...needed]
      .filter((name) => !needs.has(name) && after.properties?.[name] !== undefined)
      .map((name) => `${path}.${name} was required and is optional now`),
  ];
}

/** Nested schemas (items, anyOf …) follow the same rule; everything else has to stay as it is. */
function changedValue(before, after, what, path) {
  if (isObject(before) && isObject(after)) return incompatibilities(before, after, path);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => changedValue(item, after[index], what, path));
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [`${what} was ${JSON.stringify(before) ?? 'absent'} and is ${JSON.stringify(after) ?? 'absent'}`];
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
