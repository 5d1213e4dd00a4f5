import { DateTime, Duration, FixedOffsetZone, IANAZone, Info, Interval, InvalidZone, Settings, SystemZone, VERSION, Zone } from 'luxon';
import { named } from '../named.js';

const classes = named({ DateTime, Duration, FixedOffsetZone, IANAZone, Info, Interval, InvalidZone, Settings, SystemZone, Zone });
export const luxon = { ...classes, VERSION };
