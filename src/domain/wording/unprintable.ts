/** Control characters, line separators and marks without a width, for the brackets of a pattern. OpenAPI has no `u` flag. */
export const UNPRINTABLE = '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff'
