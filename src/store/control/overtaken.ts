/** Somebody else has written meanwhile what was not there when it was looked for: nothing has been written here. */
export class Overtaken extends Error {}
