/**
 * `later` in the head of a request to the accounts service: the caller fills in what the messages service knows of
 * sub-accounts. A gateway of the release before does not, and the accounts service asks.
 */
export const FIGURES_HEADER = 'x-figures';
