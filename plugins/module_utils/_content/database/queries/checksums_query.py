# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what the rows of each table are: as a checksum, and as a digest of their values."""

from __future__ import annotations

from typing import NamedTuple

from .client import make_query
from .each_table import SHOW_TABLE, visit_tables
from .login import Login

# CHECKSUM TABLE puts the texts of a row one behind the other: it does not see a text that moves from
# an empty column's neighbour into the empty column (docs/host_tools.md#joined-texts). The digest of rows does, and is as fast as
# counting them. Of a table t with the columns id and name the server makes, and carries out:
#   SELECT JSON_ARRAY('rows', COUNT(*), IFNULL(SUM(CRC32(CONCAT_WS(',',
#    IFNULL(CRC32(`id`), '-'),IFNULL(CRC32(`name`), '-')))), 0)) FROM `t`
#   CHECKSUM TABLE `t` EXTENDED
CHECKSUM_OF_TABLE = (
    """
  SELECT GROUP_CONCAT(
    CONCAT('IFNULL(CRC32(`', REPLACE(COLUMN_NAME, '`', '``'), '`), ''-'')')
    ORDER BY ORDINAL_POSITION SEPARATOR ',')
  INTO @hosting_panel_values
  FROM information_schema.COLUMNS
  WHERE {database} AND {table} AND IFNULL(GENERATION_EXPRESSION, '') = '';
  """
    + SHOW_TABLE
    + """
  EXECUTE IMMEDIATE CONCAT(
    'SELECT JSON_ARRAY(''rows'', COUNT(*), IFNULL(SUM(CRC32(CONCAT_WS('','', ',
    IFNULL(@hosting_panel_values, ''''''), '))), 0)) FROM ', quoted_table);
  EXECUTE IMMEDIATE CONCAT('CHECKSUM TABLE ', quoted_table, ' EXTENDED');
"""
)
# The digest of a row is that of the digests of its values, and two sums of its parts stand for all
# rows in any order. It is NULL for a row that the server cannot show, and is not counted then. Of a
# table t with the columns id and ratio, which is a FLOAT, the server makes, and carries out:
#   SELECT JSON_ARRAY('digest', COUNT(*), COUNT(row_digest),
#    IFNULL(SUM(CAST(CONV(LEFT(row_digest, 16), 16, 10) AS UNSIGNED)), 0),
#    IFNULL(SUM(CAST(CONV(MID(row_digest, 17, 16), 16, 10) AS UNSIGNED)), 0))
#   FROM (SELECT SHA2(CONCAT(IF(`id` IS NULL, '-', SHA2(`id`, 256)), ',',
#    IF(`ratio` IS NULL, '-', SHA2(CAST(`ratio` AS DOUBLE), 256))), 256) AS row_digest
#   FROM `t`) AS hosting_panel_rows
_DIGEST_OF_TABLE = (
    """
  SELECT
    GROUP_CONCAT(
      REPLACE(
        CONCAT('IF(@ IS NULL, ''-'', SHA2(', CASE
          WHEN DATA_TYPE = 'float' THEN 'CAST(@ AS DOUBLE)'
          WHEN DATA_TYPE IN ('bit', 'enum', 'set') THEN '@ + 0'
          WHEN DATA_TYPE IN ('uuid', 'inet4', 'inet6') THEN 'CAST(@ AS CHAR)'
          WHEN DATA_TYPE IN ('geometry', 'point', 'linestring', 'polygon', 'multipoint',
            'multilinestring', 'multipolygon', 'geometrycollection') THEN 'HEX(@)'
          ELSE '@'
        END, ', 256))'), '@', CONCAT('`', REPLACE(COLUMN_NAME, '`', '``'), '`'))
      ORDER BY ORDINAL_POSITION SEPARATOR ', '','', ')
  INTO @hosting_panel_values
  FROM information_schema.COLUMNS
  WHERE {database} AND {table};
  """
    + SHOW_TABLE
    + """
  EXECUTE IMMEDIATE CONCAT(
    'SELECT JSON_ARRAY(''digest'', COUNT(*), COUNT(row_digest),',
    ' IFNULL(SUM(CAST(CONV(LEFT(row_digest, 16), 16, 10) AS UNSIGNED)), 0),',
    ' IFNULL(SUM(CAST(CONV(MID(row_digest, 17, 16), 16, 10) AS UNSIGNED)), 0))',
    ' FROM (SELECT SHA2(CONCAT(', @hosting_panel_values, '), 256) AS row_digest',
    ' FROM ', quoted_table, ') AS hosting_panel_rows');
"""
)


class RowsRow(NamedTuple):
    """The number of rows of a table, and the sum of a checksum of each."""

    rows: int
    digest: int


class DigestRow(NamedTuple):
    """The number of rows of a table, how many have a digest, and two sums of parts of these."""

    rows: int
    digested: int
    first_sum: int
    second_sum: int


def make_digests_command(name: str, login: Login) -> list[str]:
    """Return the command that shows a digest of the rows of each table, by their values.

    CHECKSUM TABLE reads the bytes that a server keeps. For equal values these may be others: a
    server that was older once keeps its old form of times, and a setting leaves NULL in or out
    (docs/host_tools.md#unequal-checksums).
    """
    return make_query(login, [visit_tables(name, _DIGEST_OF_TABLE)], name)
