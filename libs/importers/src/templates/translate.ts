import { templateProblem } from '@postmesh/templates';
import type { TemplateSource } from '../sources/source.js';
import { translateBrevo } from './brevo.js';
import { translateGoTemplate } from './go-templates.js';
import { translateHandlebars } from './handlebars.js';
import { translateMergeTags } from './merge-tags.js';
import { translatePlaceholders } from './placeholders.js';
import type { Translation } from './translation.js';

/** @param fallbacks values of variables that a send does not give */
export function translate(
  text: string,
  source: TemplateSource,
  fallbacks?: ReadonlyMap<string, unknown>,
): Translation {
  try {
    return translated(text, source, fallbacks);
  } catch (error) {
    // of brackets or arguments within one another, without end
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, problems: [{ line: 1, problem: 'it is nested too deeply' }] };
  }
}

function translated(
  text: string,
  { language, names = {}, helpers }: TemplateSource,
  fallbacks: ReadonlyMap<string, unknown> | undefined,
): Translation {
  const translation = {
    handlebars: () => translateHandlebars(text, { names, helpers }),
    mustachio: () => translateHandlebars(text, { names, sections: 'scope' }),
    go: () => translateGoTemplate(text),
    brevo: () => translateBrevo(text, { names }),
    'merge-tags': () => translateMergeTags(text, { names }),
    placeholders: () => translatePlaceholders(text, { names, ...(fallbacks ? { fallbacks } : {}) }),
  }[language]();
  const problem = translation.ok ? templateProblem(translation.source) : undefined;
  if (problem === undefined) return translation;
  return { ok: false, problems: [{ line: 1, problem: `the translation cannot be rendered: ${problem}` }] };
}
