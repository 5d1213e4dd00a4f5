// dayjs and its plugins, without other locales than English.
import dayjs from 'dayjs/esm/index.js';
import advancedFormat from 'dayjs/esm/plugin/advancedFormat/index.js';
import arraySupport from 'dayjs/esm/plugin/arraySupport/index.js';
import bigIntSupport from 'dayjs/esm/plugin/bigIntSupport/index.js';
import buddhistEra from 'dayjs/esm/plugin/buddhistEra/index.js';
import calendar from 'dayjs/esm/plugin/calendar/index.js';
import customParseFormat from 'dayjs/esm/plugin/customParseFormat/index.js';
import dayOfYear from 'dayjs/esm/plugin/dayOfYear/index.js';
import duration from 'dayjs/esm/plugin/duration/index.js';
import isBetween from 'dayjs/esm/plugin/isBetween/index.js';
import isLeapYear from 'dayjs/esm/plugin/isLeapYear/index.js';
import isMoment from 'dayjs/esm/plugin/isMoment/index.js';
import isSameOrAfter from 'dayjs/esm/plugin/isSameOrAfter/index.js';
import isSameOrBefore from 'dayjs/esm/plugin/isSameOrBefore/index.js';
import isToday from 'dayjs/esm/plugin/isToday/index.js';
import isTomorrow from 'dayjs/esm/plugin/isTomorrow/index.js';
import isYesterday from 'dayjs/esm/plugin/isYesterday/index.js';
import isoWeek from 'dayjs/esm/plugin/isoWeek/index.js';
import isoWeeksInYear from 'dayjs/esm/plugin/isoWeeksInYear/index.js';
import localeData from 'dayjs/esm/plugin/localeData/index.js';
import localizedFormat from 'dayjs/esm/plugin/localizedFormat/index.js';
import minMax from 'dayjs/esm/plugin/minMax/index.js';
import negativeYear from 'dayjs/esm/plugin/negativeYear/index.js';
import objectSupport from 'dayjs/esm/plugin/objectSupport/index.js';
import pluralGetSet from 'dayjs/esm/plugin/pluralGetSet/index.js';
import preParsePostFormat from 'dayjs/esm/plugin/preParsePostFormat/index.js';
import quarterOfYear from 'dayjs/esm/plugin/quarterOfYear/index.js';
import relativeTime from 'dayjs/esm/plugin/relativeTime/index.js';
import timezone from 'dayjs/esm/plugin/timezone/index.js';
import toArray from 'dayjs/esm/plugin/toArray/index.js';
import toObject from 'dayjs/esm/plugin/toObject/index.js';
import updateLocale from 'dayjs/esm/plugin/updateLocale/index.js';
import utc from 'dayjs/esm/plugin/utc/index.js';
import weekOfYear from 'dayjs/esm/plugin/weekOfYear/index.js';
import weekYear from 'dayjs/esm/plugin/weekYear/index.js';
import weekday from 'dayjs/esm/plugin/weekday/index.js';

export { dayjs };
export const plugins = {
  advancedFormat,
  arraySupport,
  bigIntSupport,
  buddhistEra,
  calendar,
  customParseFormat,
  dayOfYear,
  duration,
  isBetween,
  isLeapYear,
  isMoment,
  isSameOrAfter,
  isSameOrBefore,
  isToday,
  isTomorrow,
  isYesterday,
  isoWeek,
  isoWeeksInYear,
  localeData,
  localizedFormat,
  minMax,
  negativeYear,
  objectSupport,
  pluralGetSet,
  preParsePostFormat,
  quarterOfYear,
  relativeTime,
  timezone,
  toArray,
  toObject,
  updateLocale,
  utc,
  weekOfYear,
  weekYear,
  weekday,
};
