/** For the environment of our programs that a test starts: what scripts/test.ts has the sources compiled into, once. */
export const COMPILE_CACHE: Record<string, string> =
  process.env['NODE_COMPILE_CACHE'] === undefined ? {} : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
