// MJML has no types of its own; these are the parts that we use.

declare module 'mjml-core' {
  interface Preset {
    components: readonly { endingTag?: boolean; getTagName(): string }[];
  }
  interface Options {
    presets: readonly Preset[];
    validationLevel: 'strict';
    ignoreIncludes: boolean;
    useMjmlConfigOptions: boolean;
    filePath: string;
  }
  const core: {
    /** @throws Error with `errors` in strict mode */
    default(source: string, options: Options): Promise<{ html: string }>;
  };
  export default core;
  export type { Preset };
}

declare module 'mjml-preset-core' {
  import type { Preset } from 'mjml-core';

  const preset: Preset;
  export default preset;
}
