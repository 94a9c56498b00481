/** Made by vite.config.ts from the contract; client.ts gives it its type. */
declare module 'virtual:operations' {
  export const OPERATIONS: unknown
}
