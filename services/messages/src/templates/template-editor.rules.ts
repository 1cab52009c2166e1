import { ApiError } from '@postmesh/contracts';
import { editorOfDesign, givenContent, requireEditor, type Editor } from '@postmesh/designs';
import type { CreateTemplateBody } from './template.schema.js';

/** The editor of a new template (spec 2-messages §6.3). @throws ApiError 400 */
export function editorOf({ editor, content }: Pick<CreateTemplateBody, 'editor' | 'content'>): Editor {
  const given = content && givenContent(content);
  const chosen = editor ?? (given && editorOfDesign(given));
  if (chosen === undefined) {
    throw new ApiError(400, 'editor is required when content has neither mjml nor html');
  }
  if (given) requireEditor(chosen, given);
  return chosen;
}
