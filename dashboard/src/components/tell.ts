import { notifications } from '@mantine/notifications'

/** A change was made: said once, in the corner. */
export function tell(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4000 })
}

export function tellError(message: string): void {
  notifications.show({ message, color: 'red', autoClose: 8000 })
}
