import { z } from 'zod';
import { isLongerThan, trimText } from '@postmesh/contracts';

export interface TextFieldRules {
  /** 1: it must not be blank */
  min?: 0 | 1;
  /** characters, not UTF-16 units (spec 1-platform §1.2) */
  max: number;
  trimmed?: boolean;
  /** line breaks and tabs are allowed */
  multiline?: boolean;
}

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\n\r\t]/u;

/** A text of a customer in a request body, with the error texts of spec 1-platform §1.4. */
export function textField(name: string, rules: TextFieldRules) {
  const { min = 0, max } = rules;
  // unpaired surrogates cannot be stored; they become U+FFFD
  const text = z.string().overwrite((given) => given.replace(/\p{Cs}/gu, '\ufffd'));
  return (rules.trimmed ? text.overwrite(trimText) : text)
    .superRefine((given, context) => {
      const problem = textProblem(given, rules);
      if (problem) context.addIssue({ code: 'custom', message: `${name} ${problem}` });
    })
    .meta({ ...(min === 0 ? {} : { minLength: min }), maxLength: max });
}

function textProblem(text: string, { min = 0, max, multiline }: TextFieldRules): string | undefined {
  if (text.length < min) return 'must not be empty';
  if (isLongerThan(text, max)) return `must be at most ${max} characters`;
  const unwanted = multiline ? CONTROL_BUT_LINES : CONTROL;
  return unwanted.test(text) ? 'must not contain control characters' : undefined;
}
