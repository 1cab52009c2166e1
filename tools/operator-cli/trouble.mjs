/** Trouble that the person at the keyboard can do something about. */
export class OperatorTrouble extends Error {}

/** @throws OperatorTrouble */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OperatorTrouble(`this is no JSON (${error.message}): ${text.slice(0, 200)}`);
  }
}
