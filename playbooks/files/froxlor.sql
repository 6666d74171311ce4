-- SPDX-License-Identifier: GPL-3.0-or-later
-- MariaDB dump 10.19  Distrib 10.11.18-MariaDB
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE `panel_admins` (
  `adminid` int(11) NOT NULL,
  `loginname` varchar(255) NOT NULL,
  `password` varchar(255) NOT NULL,
  `name` varchar(255) NOT NULL,
  `email` varchar(255) NOT NULL,
  `change_serversettings` int(11) NOT NULL,
  `customers_see_all` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `panel_admins` VALUES (1,'admin','','Admin','',1,0);
CREATE TABLE `panel_customers` (
  `customerid` int(11) NOT NULL,
  `loginname` varchar(255) NOT NULL,
  `password` varchar(255) NOT NULL,
  `adminid` int(11) NOT NULL,
  `name` varchar(255) NOT NULL,
  `firstname` varchar(255) NOT NULL,
  `gender` int(11) NOT NULL,
  `company` varchar(255) NOT NULL,
  `street` varchar(255) NOT NULL,
  `zipcode` varchar(255) NOT NULL,
  `city` varchar(255) NOT NULL,
  `phone` varchar(255) NOT NULL,
  `fax` varchar(255) NOT NULL,
  `email` varchar(255) NOT NULL,
  `customernumber` varchar(255) NOT NULL,
  `def_language` varchar(255) NOT NULL,
  `diskspace` int(11) NOT NULL,
  `mysqls` int(11) NOT NULL,
  `emails` int(11) NOT NULL,
  `email_accounts` int(11) NOT NULL,
  `email_forwarders` int(11) NOT NULL,
  `email_quota` int(11) NOT NULL,
  `ftps` int(11) NOT NULL,
  `subdomains` int(11) NOT NULL,
  `traffic` int(11) NOT NULL,
  `documentroot` varchar(255) NOT NULL,
  `standardsubdomain` int(11) NOT NULL,
  `guid` int(11) NOT NULL,
  `deactivated` int(11) NOT NULL,
  `phpenabled` int(11) NOT NULL,
  `pop3` int(11) NOT NULL,
  `imap` int(11) NOT NULL,
  `perlenabled` int(11) NOT NULL,
  `dnsenabled` int(11) NOT NULL,
  `custom_notes` text DEFAULT NULL,
  `leprivatekey` text DEFAULT NULL,
  `allowed_phpconfigs` varchar(255) NOT NULL,
  `type_2fa` int(11) NOT NULL,
  `data_2fa` varchar(255) NOT NULL,
  `gui_access` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `panel_customers` VALUES (1,'Alder','$6$practicesalt$Qw3.rT7/uZ9kLmN2pXsVbY5cD8eF1gHjA4iO6qWtRzKxJvBnMlPyGhDfSaE0UoIc7b9d2f4h6j8l1n3p5r7t9v',1,'Alder','Ada',0,'Alder Books','','','','','','it@alder.example','','en',1048576,5,-1,5,5,-1,5,5,10485760,'/var/customers/webs/alder/',0,10000,0,1,1,1,0,1,NULL,NULL,'[]',0,'',1);
CREATE TABLE `panel_plans` (
  `id` int(11) NOT NULL,
  `adminid` int(11) NOT NULL,
  `name` varchar(255) NOT NULL,
  `description` varchar(255) NOT NULL,
  `value` varchar(255) NOT NULL,
  `ts` int(11) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `panel_domains` (
  `id` int(11) NOT NULL,
  `domain` varchar(255) NOT NULL,
  `domain_ace` varchar(255) NOT NULL,
  `adminid` int(11) NOT NULL,
  `customerid` int(11) NOT NULL,
  `aliasdomain` text DEFAULT NULL,
  `documentroot` varchar(255) NOT NULL,
  `isbinddomain` int(11) NOT NULL,
  `isemaildomain` int(11) NOT NULL,
  `email_only` int(11) NOT NULL,
  `iswildcarddomain` int(11) NOT NULL,
  `subcanemaildomain` int(11) NOT NULL,
  `caneditdomain` int(11) NOT NULL,
  `zonefile` varchar(255) NOT NULL,
  `dkim` int(11) NOT NULL,
  `dkim_id` int(11) NOT NULL,
  `dkim_privkey` varchar(255) NOT NULL,
  `dkim_pubkey` varchar(255) NOT NULL,
  `wwwserveralias` int(11) NOT NULL,
  `parentdomainid` int(11) NOT NULL,
  `phpenabled` int(11) NOT NULL,
  `openbasedir` int(11) NOT NULL,
  `openbasedir_path` int(11) NOT NULL,
  `speciallogfile` int(11) NOT NULL,
  `ssl_redirect` int(11) NOT NULL,
  `specialsettings` varchar(255) NOT NULL,
  `ssl_specialsettings` varchar(255) NOT NULL,
  `include_specialsettings` int(11) NOT NULL,
  `deactivated` int(11) NOT NULL,
  `bindserial` varchar(255) NOT NULL,
  `add_date` int(11) NOT NULL,
  `registration_date` text DEFAULT NULL,
  `termination_date` text DEFAULT NULL,
  `phpsettingid` int(11) NOT NULL,
  `mod_fcgid_starter` int(11) NOT NULL,
  `mod_fcgid_maxrequests` int(11) NOT NULL,
  `letsencrypt` int(11) NOT NULL,
  `hsts` varchar(255) NOT NULL,
  `hsts_sub` int(11) NOT NULL,
  `hsts_preload` int(11) NOT NULL,
  `ocsp_stapling` int(11) NOT NULL,
  `http2` int(11) NOT NULL,
  `http3` int(11) NOT NULL,
  `notryfiles` int(11) NOT NULL,
  `writeaccesslog` int(11) NOT NULL,
  `writeerrorlog` int(11) NOT NULL,
  `override_tls` int(11) NOT NULL,
  `ssl_enabled` int(11) NOT NULL,
  `description` varchar(255) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `panel_domains` VALUES (1,'alder.example','alder.example',1,1,NULL,'/var/customers/webs/alder/alder.example/',1,1,0,0,0,1,'',0,0,'','',1,0,1,1,0,0,0,'','',0,0,'2026010100',0,NULL,NULL,2,-1,-1,0,'0',0,0,0,0,0,0,1,1,0,1,'');
CREATE TABLE `panel_domaintoip` (
  `id_domain` int(11) NOT NULL,
  `id_ipandports` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `panel_domaintoip` VALUES (1,1);
CREATE TABLE `panel_ipsandports` (
  `id` int(11) NOT NULL,
  `ip` varchar(255) NOT NULL,
  `port` int(11) NOT NULL,
  `ssl` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `panel_ipsandports` VALUES (1,'192.0.2.10',80,0);
CREATE TABLE `panel_phpconfigs` (
  `id` int(11) NOT NULL,
  `description` varchar(255) NOT NULL,
  `binary` varchar(255) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `panel_phpconfigs` VALUES (2,'PHP 8.1','/usr/bin/php-cgi');
CREATE TABLE `domain_redirect_codes` (
  `rid` int(11) NOT NULL,
  `did` int(11) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `redirect_codes` (
  `id` int(11) NOT NULL,
  `code` varchar(255) NOT NULL,
  `desc` varchar(255) NOT NULL,
  `enabled` int(11) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `domain_ssl_settings` (
  `id` int(11) NOT NULL,
  `domainid` int(11) NOT NULL,
  `ssl_cert_file` varchar(255) NOT NULL,
  `ssl_key_file` varchar(255) NOT NULL,
  `ssl_ca_file` varchar(255) NOT NULL,
  `ssl_cert_chainfile` varchar(255) NOT NULL,
  `ssl_csr_file` varchar(255) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `domain_dns_entries` (
  `id` int(11) NOT NULL,
  `domain_id` int(11) NOT NULL,
  `record` varchar(255) NOT NULL,
  `type` varchar(255) NOT NULL,
  `content` varchar(255) NOT NULL,
  `ttl` int(11) NOT NULL,
  `prio` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `domain_dns_entries` VALUES (1,1,'shop','A','192.0.2.10',3600,0);
CREATE TABLE `mail_virtual` (
  `id` int(11) NOT NULL,
  `email` varchar(255) NOT NULL,
  `email_full` varchar(255) NOT NULL,
  `destination` varchar(255) NOT NULL,
  `domainid` int(11) NOT NULL,
  `customerid` int(11) NOT NULL,
  `popaccountid` int(11) NOT NULL,
  `iscatchall` int(11) NOT NULL,
  `description` varchar(255) NOT NULL,
  `spam_tag_level` float(4,1) NOT NULL,
  `rewrite_subject` int(11) NOT NULL,
  `spam_kill_level` float(4,1) NOT NULL,
  `bypass_spam` int(11) NOT NULL,
  `policy_greylist` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `mail_virtual` VALUES (1,'info@alder.example','info@alder.example','info@alder.example',1,1,1,0,'',7.0,1,14.0,0,1);
CREATE TABLE `mail_users` (
  `id` int(11) NOT NULL,
  `email` varchar(255) NOT NULL,
  `username` varchar(255) NOT NULL,
  `password` varchar(255) NOT NULL,
  `password_enc` varchar(255) NOT NULL,
  `homedir` varchar(255) NOT NULL,
  `postfix` varchar(255) NOT NULL,
  `domainid` int(11) NOT NULL,
  `customerid` int(11) NOT NULL,
  `quota` int(11) NOT NULL,
  `pop3` int(11) NOT NULL,
  `imap` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `mail_users` VALUES (1,'info@alder.example','info@alder.example','','$1$practice$0123456789012345678901','/mail/','Y',1,1,0,1,1);
CREATE TABLE `mail_sender_aliases` (
  `id` int(11) NOT NULL,
  `email` varchar(255) NOT NULL,
  `allowed_sender` varchar(255) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `panel_databases` (
  `id` int(11) NOT NULL,
  `customerid` int(11) NOT NULL,
  `databasename` varchar(255) NOT NULL,
  `description` varchar(255) NOT NULL,
  `dbserver` int(11) NOT NULL,
) ENGINE=InnoDB;
INSERT INTO `panel_databases` VALUES (1,1,'aldersql1','Shop',0);
CREATE TABLE `ftp_users` (
  `id` int(11) NOT NULL,
  `username` varchar(255) NOT NULL,
  `uid` int(11) NOT NULL,
  `gid` int(11) NOT NULL,
  `password` varchar(255) NOT NULL,
  `homedir` varchar(255) NOT NULL,
  `shell` varchar(255) NOT NULL,
  `login_enabled` varchar(255) NOT NULL,
  `customerid` int(11) NOT NULL,
  `description` varchar(255) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `panel_htpasswds` (
  `id` int(11) NOT NULL,
  `customerid` int(11) NOT NULL,
  `path` varchar(255) NOT NULL,
  `username` varchar(255) NOT NULL,
  `password` varchar(255) NOT NULL,
  `authname` varchar(255) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `panel_htaccess` (
  `id` int(11) NOT NULL,
  `customerid` int(11) NOT NULL,
  `path` varchar(255) NOT NULL,
  `options_indexes` int(11) NOT NULL,
  `error404path` varchar(255) NOT NULL,
  `options_cgi` int(11) NOT NULL,
) ENGINE=InnoDB;
CREATE TABLE `panel_sshkeys` (
  `id` int(11) NOT NULL,
  `customerid` int(11) NOT NULL,
  `ftp_user_id` int(11) NOT NULL,
  `ssh_pubkey` varchar(255) NOT NULL,
  `description` varchar(255) NOT NULL,
) ENGINE=InnoDB;
-- Dump completed
