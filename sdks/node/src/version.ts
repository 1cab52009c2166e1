/** The version of the server whose API document made this SDK. */
export const VERSION = '0.1.0';
