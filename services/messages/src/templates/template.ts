/** What a template asks of each recipient of a send; required when it is used outside of a fallback (spec 2-messages §4 rules 14 and 15). */
export interface TemplateVariable {
  name: string;
  required: boolean;
}

export type Editor = 'advanced' | 'simple' | 'html';

/** The body of a copy. `html` of the editor `advanced` is compiled from `mjml`. */
export interface TemplateBody {
  mjml: string | null;
  html: string | null;
  text: string | null;
  /** false: the text was made from the HTML, and is made again with each new design */
  textIsCustom: boolean;
}

/** What a copy holds, in the form in which writes change it. */
export interface CopyFields extends TemplateBody {
  /** '' until set */
  subject: string;
  preheader: string;
  from: { email: string; name: string } | null;
  replyTo: string | null;
}

/** A state of a template that is written once: its draft, its published copy, one of its versions. */
export interface TemplateCopy extends CopyFields {
  id: string;
  variables: TemplateVariable[];
}

/** A copy that is stored already, such as the one of a version, or one that is not yet. */
export type DraftCopy = CopyFields & Partial<Pick<TemplateCopy, 'id' | 'variables'>>;

/** What a template holds before anything is published. */
export const EMPTY_COPY: CopyFields & Pick<TemplateCopy, 'variables'> = {
  subject: '',
  preheader: '',
  from: null,
  replyTo: null,
  mjml: null,
  html: null,
  text: null,
  textIsCustom: false,
  variables: [],
};

/** A row of `templates`. */
export interface Template {
  id: string;
  accountId: string;
  createdAt: Date;
  /** last change of the name or of the published copy */
  updatedAt: Date;
  name: string;
  editor: Editor;
  /** another one with every change: whoever writes says which one it has read */
  revision: number;
  publishedId: string | null;
  draftId: string | null;
  draftAt: Date | null;
  /** number of the newest version; 0: never published */
  lastVersion: number;
}

/** Who published a version. */
export interface Publisher {
  type: 'user' | 'api_key';
  id: string;
}

/** A row of `template_versions`. */
export interface TemplateVersion {
  id: string;
  /** from 1, per template */
  version: number;
  publishedAt: Date;
  publisher: Publisher | null;
}

/** A template with its copies, as they were at one revision. */
export interface TemplateState {
  template: Template;
  /** undefined: there is none */
  draft: TemplateCopy | undefined;
  published: TemplateCopy | undefined;
}

/** Whether there is something to send (spec 2-messages §6.4 rule 4). */
export const hasBody = ({ html, text }: Pick<CopyFields, 'html' | 'text'>): boolean =>
  html !== null || text !== null;
