import { en } from './en';

/** The texts of the console. A second language is a second file of this form, chosen here. */
export const t: typeof en = en;
