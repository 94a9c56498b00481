/** Another writer was faster: nothing has been written here. */
export class Overtaken extends Error {}
